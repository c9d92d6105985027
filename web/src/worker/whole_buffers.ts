// Which memory may be transferred along with a view of it.

export const isWhole = ({ byteLength, buffer }: ArrayBufferView): boolean =>
  byteLength === buffer.byteLength;

/** Not shared. Told by its name, since each frame of a page has classes of its own. */
export const isTransferable = (buffer: ArrayBufferLike): buffer is ArrayBuffer =>
  Object.prototype.toString.call(buffer) === '[object ArrayBuffer]';
