// APR2's LZ4 block streams in TypeScript, written from the format's description and not from the engine.

const blockBytes = 65536;
const minimumMatch = 4;
/** The last match begins this far before the end at the least; the last 5 bytes are literals. */
const endMargin = 12;

function pushLength(out: number[], rest: number): void {
  for (; rest >= 255; rest -= 255) out.push(255);
  out.push(rest);
}

function pushSequence(
  out: number[],
  literals: Uint8Array,
  match?: { offset: number; length: number },
) {
  const code = match ? match.length - minimumMatch : 0;
  out.push((Math.min(literals.length, 15) << 4) | Math.min(code, 15));
  if (literals.length >= 15) pushLength(out, literals.length - 15);
  out.push(...literals);
  if (!match) return;
  out.push(match.offset & 0xff, match.offset >> 8);
  if (code >= 15) pushLength(out, code - 15);
}

function compressBlock(raw: Uint8Array): number[] {
  const out: number[] = [];
  const seen = new Map<number, number>();
  const word = (at: number) =>
    (raw[at]! | (raw[at + 1]! << 8) | (raw[at + 2]! << 16) | (raw[at + 3]! << 24)) >>> 0;
  let anchor = 0;
  let at = 0;
  while (at + endMargin <= raw.length) {
    const key = word(at);
    const candidate = seen.get(key);
    seen.set(key, at);
    if (candidate === undefined || at - candidate > 65535) {
      at += 1;
      continue;
    }
    let length = minimumMatch;
    while (at + length < raw.length - 5 && raw[candidate + length] === raw[at + length])
      length += 1;
    pushSequence(out, raw.subarray(anchor, at), { offset: at - candidate, length });
    at += length;
    anchor = at;
  }
  pushSequence(out, raw.subarray(anchor));
  return out;
}

/** Blocks of 64 KiB, each with its stored size in front. */
export function lz4Stream(raw: Uint8Array): Uint8Array {
  const out: number[] = [];
  for (let begin = 0; begin < raw.length; begin += blockBytes) {
    const block = compressBlock(raw.subarray(begin, begin + blockBytes));
    const size = block.length;
    out.push(size & 0xff, (size >> 8) & 0xff, (size >> 16) & 0xff, size >>> 24);
    for (const byte of block) out.push(byte);
  }
  return Uint8Array.from(out);
}

/** The opposite; throws on anything that is not exactly `rawSize` bytes. */
export function decodeLz4Stream(stored: Uint8Array, rawSize: number): Uint8Array {
  const raw = new Uint8Array(rawSize);
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  let written = 0;
  for (let at = 0; at < stored.length;) {
    const end = at + 4 + view.getUint32(at, true);
    const begin = written;
    at += 4;
    const longer = (length: number) => {
      if (length < 15) return length;
      let byte = 255;
      while (byte === 255) {
        byte = stored[at++]!;
        length += byte;
      }
      return length;
    };
    while (at < end) {
      const token = stored[at++]!;
      const literals = longer(token >> 4);
      raw.set(stored.subarray(at, at + literals), written);
      at += literals;
      written += literals;
      if (at >= end) break;
      const offset = view.getUint16(at, true);
      at += 2;
      const length = longer(token & 15) + minimumMatch;
      if (offset === 0 || written - offset < begin) throw new Error('a match before its block');
      for (let i = 0; i < length; ++i, ++written) raw[written] = raw[written - offset]!;
    }
  }
  if (written !== rawSize) throw new Error(`decoded ${written} bytes instead of ${rawSize}`);
  return raw;
}
