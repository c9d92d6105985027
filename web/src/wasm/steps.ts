// Work over large arrays in steps.
import type { YieldController } from './yield_controller.js';

/** So many bytes are copied in about a millisecond. */
export const copiedAtOnce = 1 << 22;

/** The bytes of a large array, in memory of their own. */
export async function copyInSteps(
  array: ArrayBufferView,
  yielder: YieldController,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  const copy = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += copiedAtOnce) {
    copy.set(bytes.subarray(at, at + copiedAtOnce), at);
    await yielder.step();
  }
  return copy;
}
