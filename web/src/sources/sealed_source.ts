// A source whose file may be encrypted, signed, or have digests. What proves and decrypts is code of its own, which is loaded
// when a file or a caller wants it.
import type { SealOptions } from '../api_types.js';
import { SusurrusError } from '../errors.js';
import type { OpenedSource } from '../platform/platform.js';
import { ByteQueue } from '../seal/byte_queue.js';
import { loadSeal, unwrapOutcome, type Outcome } from '../seal/load_seal.js';
import type { Decryption } from '../seal/decrypted_bytes.js';
import type { Unsealing } from '../seal/entry.js';
import type { SealReport } from '../seal/unseal.js';
import { hasSealOptions } from '../seal_options.js';

const headerBytes = 32;
const mostBytes = 64 << 20;

/** How an encrypted file is read: decrypted, or as it is stored but proved; `'ignored'`: whatever it is, as it comes. */
export type Seals = Decryption | 'ignored';

export interface SealedSource {
  readonly source: OpenedSource;
  /** Once the reader has accepted everything: what was found out. Throws where a signature is required and none was verified. */
  confirm(): SealReport;
}

/** `part`: the name of the file where it is one of several, for errors. */
export function openSealed(
  opened: OpenedSource,
  options: SealOptions,
  seals: Seals,
  part?: string,
): SealedSource {
  if (seals === 'ignored') return { source: opened, confirm: () => ({}) };
  const decryption = seals;
  const queue = new ByteQueue(opened.chunks);
  let unsealing: Unsealing | undefined;
  const unwrap = <T>(outcome: Outcome<T>): T => {
    try {
      return unwrapOutcome(outcome);
    } catch (error) {
      throw part === undefined ? error : inPart(error, part);
    }
  };

  async function* bytes(): AsyncGenerator<Uint8Array> {
    if (!hasSealOptions(options) && !(await hasDigests(queue))) {
      for await (const piece of queue.rest()) {
        yield piece;
        opened.recycle?.(piece); // who asks for another one is done with it
      }
      return;
    }
    unsealing = (await loadSeal()).unseal(queue, options, decryption, part !== undefined);
    for (;;) {
      const step = unwrap(await unsealing.next());
      if (step.done) return;
      yield step.value;
    }
  }

  return {
    source: {
      ...opened,
      chunks: closable(bytes(), queue),
      // What proves or decrypts may still look at what it let through.
      get givesAway() {
        return opened.givesAway === true && unsealing === undefined;
      },
    },
    confirm: () => (unsealing ? unwrap(unsealing.confirm()) : {}),
  };
}

/** As the core names the shard that an error is about. */
function inPart(error: unknown, part: string): unknown {
  if (!(error instanceof SusurrusError) || error.details.reason === 'source') return error;
  const { code, message, details, cause } = error;
  const subject = details.subject === undefined ? part : `${part}: ${details.subject}`;
  return new SusurrusError(code, `${part}: ${message}`, { ...details, subject }, cause);
}

/** Leaving early tells the source at once, although a generator that waits cannot be told. */
function closable(bytes: AsyncGenerator<Uint8Array>, queue: ByteQueue): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => bytes.next(),
      return: () => {
        queue.close();
        return bytes.return(undefined);
      },
    }),
  };
}

/** Whether the metadata of an APR2 file speak of piece digests; nothing is taken. */
async function hasDigests(queue: ByteQueue): Promise<boolean> {
  const header = await queue.peek(headerBytes);
  if (header.length < headerBytes || !canDigest()) return false;
  const view = new DataView(header.buffer, header.byteOffset);
  const [magic, begin, byteCount] = [0, 12, 16].map((at) => view.getUint32(at, true)) as [
    ...[number, number, number],
  ];
  // What is no APR2, or has more metadata than the core reads, is the core's business.
  if (magic !== 0x32525041 || begin > mostBytes || byteCount > mostBytes) return false;
  const metadata = (await queue.peek(begin + byteCount)).subarray(begin);
  // Byte for byte: parsing a vocabulary would cost more than all the rest.
  return new TextDecoder('latin1').decode(metadata).includes('"piece_digests"');
}

const canDigest = (): boolean => (globalThis.crypto as Crypto | undefined)?.subtle !== undefined;
