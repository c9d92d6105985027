import { SusurrusError } from '../api/errors.js';
import { checkWasmAllowed } from './wasm_allowed.js';

/** Fetches and compiles an engine. */
export async function fetchEngine(url: string): Promise<WebAssembly.Module> {
  checkWasmAllowed();
  const missing = (problem: string, cause?: unknown): SusurrusError =>
    new SusurrusError(
      'source_failed',
      `The engine could not be loaded from ${url}: ${problem}.`,
      { reason: 'source', subject: url },
      cause,
    );
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw missing('the request failed', error);
  }
  if (!response.ok) {
    void response.body?.cancel().catch(() => undefined);
    throw missing(`HTTP ${response.status}`);
  }
  const type = response.headers.get('Content-Type') ?? '';
  try {
    return type.startsWith('application/wasm')
      ? await WebAssembly.compileStreaming(response)
      : await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    throw missing(`it is not the engine (${type || 'no content type'})`, error);
  }
}
