// A source whose file may be encrypted, signed, or have digests. What verifies and decrypts is code of its own, which is loaded
// when a file or a caller wants it.
import type { SealOptions } from '../api/types.js';
import { ByteQueue } from '../platform/byte_queue.js';
import type { ProtectionReport, Protection, ShardOrigin } from '../platform/crypto_types.js';
import { SusurrusError } from '../api/errors.js';
import { loadCrypto } from './load_crypto.js';
import { unwrapOutcome, type Outcome } from '../api/outcome.js';
import type { OpenedSource } from '../platform/platform.js';
import { YieldController } from '../wasm/yield_controller.js';
import { hasCryptoOptions } from './crypto_options.js';

const headerBytes = 32;
const mostBytes = 64 << 20;
/** Bytes that are searched between two steps. */
const windowBytes = 1 << 20;

export interface ProtectedSource {
  readonly source: OpenedSource;
  /** Call when the reader has accepted everything. Throws where a signature is required and none was verified. */
  confirm(): ProtectionReport;
}

/** `shard`: of a file that is one of several. `compileFiles` compiles files.wasm, for a file that is verified or decrypted. */
export function openProtected(
  opened: OpenedSource,
  options: SealOptions,
  protection: Protection,
  compileFiles: () => Promise<WebAssembly.Module>,
  shard?: ShardOrigin,
): ProtectedSource {
  if (protection === 'ignored') return { source: opened, confirm: () => ({}) };
  const decryption = protection;
  const queue = new ByteQueue(opened.chunks);
  let decrypting: { confirm(): Outcome<ProtectionReport> } | undefined;
  const unwrap = <T>(outcome: Outcome<T>): T => {
    try {
      return unwrapOutcome(outcome);
    } catch (error) {
      throw shard === undefined ? error : inPart(error, shard.name);
    }
  };

  async function* bytes(): AsyncGenerator<Uint8Array> {
    if (!hasCryptoOptions(options) && !(await hasDigests(queue))) {
      for await (const piece of queue.rest()) {
        yield piece;
        opened.recycle?.(piece); // asking for the next piece means this one is done with
      }
      return;
    }
    const { openFile } = await loadCrypto();
    const file = unwrap(await openFile(compileFiles, queue, options, decryption, shard));
    decrypting = file;
    for (;;) {
      const step = unwrap(await file.next());
      if (step.done) return;
      yield step.value;
    }
  }

  return {
    source: {
      ...opened,
      chunks: closable(bytes(), queue),
      // Verification may still read chunks that it has passed on.
      get givesAway() {
        return opened.givesAway === true && decrypting === undefined;
      },
    },
    confirm: () => (decrypting ? unwrap(decrypting.confirm()) : {}),
  };
}

/** As the core names the shard that an error is about. */
function inPart(error: unknown, part: string): unknown {
  if (!(error instanceof SusurrusError) || error.details.reason === 'source') return error;
  const { code, message, details, cause } = error;
  const subject = details.subject === undefined ? part : `${part}: ${details.subject}`;
  return new SusurrusError(code, `${part}: ${message}`, { ...details, subject }, cause);
}

/** Leaving early cancels the source at once; return() alone would wait for the pending next(). */
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

/**
 * Whether the metadata of an APR2 file name piece digests; consumes no bytes. This is all that is known of the format here: it
 * decides whether the rest of the code for it is downloaded.
 */
async function hasDigests(queue: ByteQueue): Promise<boolean> {
  const header = await queue.peek(headerBytes);
  if (header.length < headerBytes || !canDigest()) return false;
  const view = new DataView(header.buffer, header.byteOffset);
  const [magic, begin, byteCount] = [0, 12, 16].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
  ];
  // Other formats, and more metadata than the core accepts, are left to the core.
  if (magic !== 0x32525041 || begin > mostBytes || byteCount > mostBytes) return false;
  const metadata = (await queue.peek(begin + byteCount)).subarray(begin);
  return includes(metadata, '"piece_digests"', new YieldController());
}

/** A text search: parsing JSON with a vocabulary would cost far more. */
async function includes(
  bytes: Uint8Array,
  ascii: string,
  yielder: YieldController,
): Promise<boolean> {
  const decoder = new TextDecoder('latin1');
  for (let at = 0; at < bytes.length; at += windowBytes) {
    // With as much of the next window as the text may reach into.
    const text = decoder.decode(bytes.subarray(at, at + windowBytes + ascii.length - 1));
    if (text.includes(ascii)) return true;
    await yielder.step();
  }
  return false;
}

const canDigest = (): boolean => (globalThis.crypto as Crypto | undefined)?.subtle !== undefined;
