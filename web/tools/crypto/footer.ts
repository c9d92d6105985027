// The footer, which is found by being last, in a file of which not even the length is known.
import type { ByteQueue } from '../../src/platform/byte_queue.js';
import { fileError, type SusurrusError } from '../../src/api/errors.js';
import { footerBytes, type Apr2Core, type RunningCrc32 } from './apr2_core.js';

export interface Apr2Footer {
  readonly crc32: number;
  /** Size of the file. */
  readonly byteCount: number;
}

/** The footer at the end of these bytes, which closes a file there; `position` is the offset of the first of them in the file. */
export function footerAtEnd(
  core: Apr2Core,
  bytes: Uint8Array,
  position: number,
): Apr2Footer | undefined {
  const begin = bytes.length - footerBytes;
  if (begin < 0) return undefined;
  const found = core.findFooter(bytes.subarray(begin), position + begin);
  return found && { crc32: found.crc32, byteCount: position + bytes.length };
}

/** The error for a file that goes on behind its footer, if these bytes hold one; reads the source to its end. */
export async function trailingData(
  core: Apr2Core,
  bytes: Uint8Array,
  queue: ByteQueue,
): Promise<SusurrusError | undefined> {
  const { position } = queue;
  const found = core.findFooter(bytes.subarray(0, -1), position);
  if (!found) return undefined;
  while (await queue.next());
  return fileError('malformed', 'the bytes contradict the format', {
    reason: 'trailing_data',
    offset: position + found.end,
    subject: 'file_size',
    expected: String(position + found.end),
    got: String(queue.position),
  });
}

/**
 * Gives what is left before the footer, and returns the footer, which stays in the queue. Where the file was cut it returns
 * nothing, and the last bytes stay. Throws where the file goes on behind its footer.
 */
export async function* beforeFooter(
  core: Apr2Core,
  queue: ByteQueue,
): AsyncGenerator<Uint8Array, Apr2Footer | undefined> {
  const most = 1 << 20;
  for (;;) {
    const ahead = await queue.peek(most + footerBytes + 1);
    const isLast = ahead.length <= most + footerBytes;
    const footer = isLast ? footerAtEnd(core, ahead, queue.position) : undefined;
    if (!footer) {
      const trailing = await trailingData(core, ahead, queue);
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
  { crc32 }: Apr2Footer,
  computed: RunningCrc32,
): SusurrusError {
  return fileError('checksum_mismatch', 'the checksum differs from the contents', {
    reason: 'checksum',
    offset,
    subject: 'crc32',
    expected: crcText(crc32),
    got: crcText(computed.value),
  });
}

/** So many zeros, in pieces. */
export function* zeros(byteCount: number): Generator<Uint8Array<ArrayBuffer>> {
  const most = 1 << 20;
  for (let left = byteCount; left > 0; left -= most) yield new Uint8Array(Math.min(left, most));
}

const crcText = (crc32: number): string => `0x${crc32.toString(16).padStart(8, '0')}`;
