// Which bytes of a kept file are right, by the file's own digests. The code that verifies is loaded for it.
import { unwrapOutcome } from '../../src/api/outcome.js';
import type { SoundRanges } from '../../src/api/types.js';
import type { OpenedSource } from '../../src/platform/platform.js';
import { blobSource } from '../../src/sources/blob_source.js';
import { loadCrypto } from '../../src/sources/load_crypto.js';

/** `compileFiles` compiles files.wasm. Throws where the file has no digests. */
export async function soundRangesOf(
  file: Blob | string,
  openPath: (path: string) => Promise<OpenedSource>,
  compileFiles: () => Promise<WebAssembly.Module>,
): Promise<SoundRanges> {
  const { soundRanges } = await loadCrypto();
  const opened = typeof file === 'string' ? await openPath(file) : blobSource(file);
  return unwrapOutcome(
    await soundRanges({ compileFiles, openSource: () => Promise.resolve(opened) }, file, {}),
  );
}
