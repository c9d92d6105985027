// Bytes are copied into the core's memory through windows: a fresh view for every piece, since any call may move the heap.
import { unwrap } from './emscripten_module.js';
import type { YieldController } from './yield_controller.js';

interface ByteTarget {
  inputWindow(byteCount: number): Uint8Array;
}

/**
 * Copies `bytes` into the target's window piece by piece; `push` processes that many bytes, `drain` then takes the output.
 */
export async function pushThroughWindow(
  target: ByteTarget,
  bytes: Uint8Array,
  push: (byteCount: number) => string,
  yielder: YieldController,
  drain?: () => Promise<void>,
): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const window = target.inputWindow(bytes.length - at);
    const count = window.length;
    window.set(bytes.subarray(at, at + count));
    // An empty window means out of memory, which push() then reports.
    unwrap(push(count === 0 ? bytes.length - at : count));
    at += count;
    await drain?.();
    await yielder.step();
  }
}
