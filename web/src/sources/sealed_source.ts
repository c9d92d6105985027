// A source whose file may be encrypted, signed, or have digests. What proves and decrypts is code of its own, which is loaded
// when a file or a caller wants it.
import type { SealOptions } from '../api_types.js';
import { fileError } from '../errors.js';
import type { OpenedSource } from '../platform/platform.js';
import { headerBytes, readApr2Header } from '../seal/apr2_front.js';
import { ByteQueue } from '../seal/byte_queue.js';
import { loadSeal, unwrapOutcome } from '../seal/load_seal.js';
import type { Decryption } from '../seal/decrypted_bytes.js';
import type { SealReport } from '../seal/unseal.js';
import { sealKeys } from '../seal_options.js';

/** How an encrypted file is read: decrypted, or as it is stored but proved; `'ignored'`: whatever it is, as it comes. */
export type Seals = Decryption | 'ignored';

export interface SealedSource {
  readonly source: OpenedSource;
  /** Once the reader has accepted everything: whose signature was verified. Throws where one is required and was not. */
  confirm(): string | undefined;
}

export function openSealed(opened: OpenedSource, options: SealOptions, seals: Seals): SealedSource {
  if (seals === 'ignored') return { source: opened, confirm: () => undefined };
  const decryption = seals;
  const keys = sealKeys(options);
  const report: SealReport = {};
  const queue = new ByteQueue(opened.chunks);
  const isAsked =
    keys.key !== undefined || keys.isSignatureRequired || keys.publicKeys !== undefined;

  async function* bytes(): AsyncGenerator<Uint8Array> {
    if (!isAsked && !(await hasDigests(queue))) {
      yield* queue.rest();
      return;
    }
    const steps = (await loadSeal()).unseal(queue, keys, decryption, report);
    for (;;) {
      const step = unwrapOutcome(await steps.next());
      if (step.done) return;
      yield step.value;
    }
  }

  return {
    source: { ...opened, chunks: closable(bytes(), queue) },
    confirm() {
      if (report.signer === undefined && keys.isSignatureRequired) {
        throw fileError('signature_invalid', 'the file has no signature that could be checked', {
          reason: 'signature',
          subject: 'signature',
          expected: 'a signed APR2 file',
        });
      }
      return report.signer;
    },
  };
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
  const header = readApr2Header(await queue.peek(headerBytes));
  if (!header || (globalThis.crypto as Crypto | undefined)?.subtle === undefined) return false;
  const beginning = await queue.peek(header.metadataEnd);
  // Byte for byte: parsing a vocabulary would cost more than all the rest.
  const text = new TextDecoder('latin1').decode(beginning.subarray(header.metadataOffset));
  return text.includes('"piece_digests"');
}
