import { SusurrusError } from '../../src/api/errors.js';

interface TextTarget {
  textWindow(byteCount: number): Uint8Array;
}

/** Copies a text to the core. Throws `out_of_memory` about `subject` where there is no room for it. */
export function writeText(target: TextTarget, text: Uint8Array, subject: string): void {
  const window = target.textWindow(text.length);
  if (window.length !== text.length) {
    throw new SusurrusError('out_of_memory', `There is no memory for the ${subject}.`, {
      reason: 'memory',
      subject,
      got: String(text.length),
    });
  }
  window.set(text);
}
