import type { ModelKey } from '../../src/api/types.js';
import { SusurrusError } from '../../src/api/errors.js';
import type { Apr2Front } from './apr2_core.js';
import {
  deriveKey,
  encryptionKey,
  fewestIterations,
  gcmParameters,
  noncePrefixBytes,
  pieceCount,
  saltBytes,
  encryptedBytes,
  statedScheme,
} from './encryption.js';
import { toHex } from './hex.js';
import { digestsKey, pieceBytes } from './piece_digests.js';
import { modelDigestKey } from './signed_model.js';
import {
  dataFrom,
  newFront,
  placeTensors,
  withPass,
  writeFile,
  type PlacedTensor,
  type TransformJob,
  type SourcePass,
  type TransformedFile,
} from './transform_apr2.js';
import { webCrypto } from './web_crypto.js';

/** Writes a file with the same tensors, each piece of them encrypted. A signature and digests would be wrong and are left out. */
export function encryptFile(job: TransformJob, key: ModelKey): Promise<TransformedFile> {
  return withPass(job, async (pass) => {
    const { front } = pass;
    refuseEncrypted(front);
    const kdf =
      'passphrase' in key
        ? {
            salt: globalThis.crypto.getRandomValues(new Uint8Array(saltBytes)),
            iterations: fewestIterations,
          }
        : undefined;
    const aes = await deriveKey(key, kdf, 'encrypt');
    if (!aes) throw new TypeError('a key of another kind than the scheme that was made for it');
    const tensors = placeTensors(front, 0, ({ size }) => encryptedBytes(size, pieceBytes));
    const written = await newFront(
      front,
      tensors,
      { isEncrypted: true, isSigned: false },
      {
        [digestsKey]: undefined,
        [modelDigestKey]: undefined,
        [encryptionKey]: statedScheme(pieceBytes, kdf, kdf ? toHex(kdf.salt) : ''),
      },
      job.yielder,
    );
    const data = dataFrom(0, tensors, (tensor) => encrypted(pass, tensor, aes));
    const facts = await writeFile(job, written, new Uint8Array(), data);
    await pass.finish();
    return { ...facts, tensorCount: tensors.length, warnings: lost(front) };
  });
}

async function* encrypted(
  pass: SourcePass,
  { entry }: PlacedTensor,
  key: CryptoKey,
): AsyncGenerator<Uint8Array> {
  const noncePrefix = globalThis.crypto.getRandomValues(new Uint8Array(noncePrefixBytes));
  yield noncePrefix;
  const last = pieceCount(entry.size, pieceBytes) - 1;
  let piece = 0;
  for await (const plain of pass.tensor(entry, pieceBytes)) {
    const parameters = gcmParameters(entry, noncePrefix, piece, piece === last);
    yield new Uint8Array(await webCrypto().encrypt(parameters, key, plain));
    ++piece;
  }
}

function refuseEncrypted(front: Apr2Front): void {
  if (!front.header.isEncrypted) return;
  throw new SusurrusError('invalid_argument', 'The file is encrypted already.', {
    reason: 'option',
    subject: 'source',
    expected: 'a file that is not encrypted',
  });
}

function lost(front: Apr2Front): string[] {
  if (front.header.isSigned) {
    return ['the signature is of the unencrypted file and is left out; sign the encrypted file'];
  }
  return front.metadata[digestsKey] === undefined
    ? []
    : ['the piece digests are of the unencrypted file and are left out'];
}
