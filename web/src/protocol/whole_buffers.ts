// Which memory may be transferred along with a view of it, and memory that is given back at once.

export const isWhole = ({ byteLength, buffer }: ArrayBufferView): boolean =>
  byteLength === buffer.byteLength;

/** Not shared. Told by its name, since each frame of a page has classes of its own. */
export const isTransferable = (buffer: ArrayBufferLike): buffer is ArrayBuffer =>
  Object.prototype.toString.call(buffer) === '[object ArrayBuffer]';

/**
 * Frees the memory of a buffer that nobody needs any more. Browsers count such memory little: a garbage collection may come hundreds of
 * megabytes later. What is sent to a closed port is gone; `transfer(0)` frees nothing in Chromium, where a wrapper holds the memory.
 */
export function freeBuffer(buffer: ArrayBuffer): void {
  // Nothing, or given away already.
  if (buffer.byteLength === 0) return;
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.postMessage(undefined, [buffer]);
  port1.close();
}
