// How many samples an MP3 encoder put before and after the recording: the LAME tag behind the Xing header of the first frame.

/** Frames that every MP3 decoder is late by. */
const decoderDelay = 529;

export interface Mp3Padding {
  readonly start: number;
  readonly end: number;
}

/** From the file's first bytes behind any ID3 tag; undefined without a tag. */
export function readLameTag(bytes: Uint8Array): Mp3Padding | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isMpeg1 = ((bytes[1] ?? 0) & 0x08) !== 0;
  const isMono = (bytes[3] ?? 0) >> 6 === 3;
  let at = isMpeg1 ? (isMono ? 21 : 36) : isMono ? 13 : 21;
  if (at + 8 > bytes.length) return undefined;
  const name = String.fromCharCode(...bytes.subarray(at, at + 4));
  if (name !== 'Xing' && name !== 'Info') return undefined;
  const flags = view.getUint32(at + 4);
  // Frames, bytes, table of contents, quality.
  at += 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
  if (
    at + 24 > bytes.length ||
    !/^L(AME|av[cf])/.test(String.fromCharCode(...bytes.subarray(at, at + 4)))
  ) {
    return undefined;
  }
  const both = view.getUint32(at + 20) & 0xffffff;
  return {
    start: (both >> 12) + decoderDelay,
    end: Math.max(0, (both & 0xfff) - decoderDelay),
  };
}

/** Bytes of an ID3v2 tag at the start; 0 without one. */
export function id3Length(bytes: Uint8Array): number {
  if (bytes.length < 10 || String.fromCharCode(...bytes.subarray(0, 3)) !== 'ID3') return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((bytes[at] ?? 0) & 0x7f), 0);
  return 10 + size + ((bytes[5] ?? 0) & 0x10 ? 10 : 0);
}
