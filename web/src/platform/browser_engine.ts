import type { Variant } from '../api_types.js';
import { SusurrusError } from '../errors.js';

// Written out, so that bundlers see the files.
const engineUrl = (variant: Variant): URL =>
  variant === 'relaxed'
    ? new URL('./engine.relaxed.wasm', import.meta.url)
    : new URL('./engine.simd.wasm', import.meta.url);

/** Fetches and compiles the engine that lies beside this module. */
export async function readEngine(variant: Variant): Promise<WebAssembly.Module> {
  const url = engineUrl(variant);
  const missing = (problem: string, cause?: unknown): SusurrusError =>
    new SusurrusError(
      'source_failed',
      `The engine could not be loaded from ${url.href}: ${problem}.`,
      { reason: 'source', subject: url.href },
      cause,
    );
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw missing('the request failed', error);
  }
  if (!response.ok) throw missing(`HTTP ${response.status}`);
  const type = response.headers.get('Content-Type') ?? '';
  try {
    return type.startsWith('application/wasm')
      ? await WebAssembly.compileStreaming(response)
      : await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    throw missing(`it is not the engine (${type || 'no content type'})`, error);
  }
}
