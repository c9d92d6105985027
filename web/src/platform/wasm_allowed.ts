import { SusurrusError } from '../api/errors.js';

/** A module with nothing in it, which is valid everywhere. */
const nothing = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);

/** Throws where WebAssembly is missing, or where a Content-Security-Policy forbids to compile it. */
export function checkWasmAllowed(): void {
  const refused = (problem: string, cause?: unknown): SusurrusError =>
    new SusurrusError(
      'unsupported_environment',
      problem,
      { reason: 'environment', subject: 'WebAssembly' },
      cause,
    );
  if (typeof WebAssembly === 'undefined') throw refused('This environment has no WebAssembly.');
  try {
    // WebKit refuses no module, only its instance.
    new WebAssembly.Instance(new WebAssembly.Module(nothing));
  } catch (error) {
    throw refused(
      "The page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src. A worker's script that" +
        ' is served with a policy of its own needs it there.',
      error,
    );
  }
}
