// Memory that its owner has given away: what was transferred to a worker is empty here, and looks like silence or an empty file.
import { describe, SusurrusError } from './errors.js';

/** Rejects an array or buffer whose memory was transferred. `subject`: which argument it is. */
export function refuseDetached(value: ArrayBufferLike | ArrayBufferView, subject: string): void {
  if (value.byteLength > 0) return;
  try {
    // Not every engine has ArrayBuffer.prototype.detached; none makes a view of such a buffer.
    new Uint8Array(ArrayBuffer.isView(value) ? value.buffer : value);
  } catch (cause) {
    const got = `${describe(value)} whose memory was transferred`;
    throw new SusurrusError(
      'invalid_argument',
      `${subject} is ${got} (to a worker, say): nothing is left of it here.`,
      { reason: 'option', subject, expected: 'memory that is here', got },
      cause,
    );
  }
}
