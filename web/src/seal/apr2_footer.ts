import { fileError, type SusurrusError } from '../errors.js';
import type { ByteQueue } from './byte_queue.js';
import { footerBytes } from './apr2_front.js';
import type { RunningCrc32 } from './crc32.js';

export interface Apr2Footer {
  readonly crc: number;
  /** Of the file, as it says itself. */
  readonly byteCount: number;
}

/** The footer that ends at `end` in these bytes, and says so; `position` is the offset of the first of them in the file. */
export function footerAt(bytes: Uint8Array, end: number, position: number): Apr2Footer | undefined {
  const begin = end - footerBytes;
  if (begin < 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + begin, footerBytes);
  const byteCount = Number(view.getBigUint64(8, true));
  if (view.getUint32(4, true) !== 0x41505232 || byteCount !== position + end) return undefined;
  return { crc: view.getUint32(0, true), byteCount };
}

export function makeFooter(crc: number, byteCount: number): Uint8Array<ArrayBuffer> {
  const footer = new Uint8Array(footerBytes);
  const view = new DataView(footer.buffer);
  view.setUint32(0, crc, true);
  view.setUint32(4, 0x41505232, true);
  view.setBigUint64(8, BigInt(byteCount), true);
  return footer;
}

/** The error for a file that goes on behind its footer, if these bytes hold one; reads the source to its end. */
export async function trailingData(
  bytes: Uint8Array,
  queue: ByteQueue,
): Promise<SusurrusError | undefined> {
  const { position } = queue;
  for (let end = footerBytes; end < bytes.length; ++end) {
    // The magic first: a footer is rare.
    if (bytes[end - 12] !== 0x32 || bytes[end - 11] !== 0x52) continue;
    if (!footerAt(bytes, end, position)) continue;
    while (await queue.next());
    return fileError('malformed', 'the bytes contradict the format', {
      reason: 'trailing_data',
      offset: position + end,
      subject: 'file_size',
      expected: String(position + end),
      got: String(queue.position),
    });
  }
  return undefined;
}

/**
 * Gives what is left before the footer, and returns the footer, which stays in the queue. Where the file was cut it returns
 * nothing, and the last bytes stay. Throws where the file goes on behind its footer.
 */
export async function* beforeFooter(
  queue: ByteQueue,
): AsyncGenerator<Uint8Array, Apr2Footer | undefined> {
  const most = 1 << 20;
  for (;;) {
    const ahead = await queue.peek(most + footerBytes + 1);
    const isLast = ahead.length <= most + footerBytes;
    const footer = isLast ? footerAt(ahead, ahead.length, queue.position) : undefined;
    if (!footer) {
      const trailing = await trailingData(ahead, queue);
      if (trailing) throw trailing;
    }
    if (isLast) {
      const byteCount = Math.max(0, ahead.length - footerBytes);
      if (byteCount > 0) yield queue.take(byteCount);
      return footer;
    }
    yield queue.take(most);
  }
}

export function wrongChecksum(
  offset: number,
  { crc }: Apr2Footer,
  computed: RunningCrc32,
): SusurrusError {
  return fileError('checksum_mismatch', 'the checksum differs from the contents', {
    reason: 'checksum',
    offset,
    subject: 'crc32',
    expected: crcText(crc),
    got: crcText(computed.value),
  });
}

const crcText = (crc: number): string => `0x${(crc >>> 0).toString(16).padStart(8, '0')}`;

/** So many zeros, in pieces. */
export function* zeros(byteCount: number): Generator<Uint8Array<ArrayBuffer>> {
  const most = 1 << 20;
  for (let left = byteCount; left > 0; left -= most) yield new Uint8Array(Math.min(left, most));
}
