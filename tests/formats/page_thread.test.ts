// The tools' work on a page's own thread is cut into steps: counted in turns of the event loop and bytes, never in milliseconds.
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { FilesHost } from '../../web/tools/host/files_host.js';
import type { FilesCalls } from '../../web/src/protocol/files.js';
import { Apr2Core, type Apr2Front } from '../../web/tools/crypto/apr2_core.js';
import { decryptAndVerify } from '../../web/tools/crypto/decrypt_and_verify.js';
import { checkPieces } from '../../web/tools/crypto/file_checks.js';
import { toHex } from '../../web/tools/crypto/hex.js';
import { withMembers } from '../../web/tools/crypto/json_members.js';
import { digestsBetween, readPieceDigests } from '../../web/tools/crypto/piece_digests.js';
import { pieceDigestsOf, writeDigested } from '../../web/tools/crypto/sign_file.js';
import { addSignedShard, modelDigest } from '../../web/tools/crypto/signed_model.js';
import type { TransformJob } from '../../web/tools/crypto/transform_apr2.js';
import { extractOn } from '../../web/tools/inspection/extract.js';
import { node } from '../../web/src/node_platform.js';
import { ByteQueue } from '../../web/src/platform/byte_queue.js';
import { newSignedModel } from '../../web/src/platform/crypto_types.js';
import { YieldController } from '../../web/src/wasm/yield_controller.js';
import { openInProcess } from '../../web/src/worker/in_process.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { collectedStream } from '../support/collected_stream.js';
import { filesModule } from '../support/files_module.js';
import { writeSealed } from '../support/sealed_writer.js';
import { tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';
import { leapInTests, mostInOneTurn, turnsUntil } from '../support/turns.js';

const mebibyte = 1 << 20;
/** Every step yields. */
const leap = leapInTests();
afterEach(() => {
  jest.restoreAllMocks();
});

class CountedYieldController extends YieldController {
  steps = 0;
  override step(): Promise<void> {
    ++this.steps;
    return super.step();
  }
}

const frontWith = (digests: readonly unknown[]): Apr2Front =>
  ({
    header: { metadataOffset: 32 },
    metadata: { piece_digests: { algorithm: 'SHA-256', piece_size: 4096, digests } },
  }) as unknown as Apr2Front;

describe('piece digests', () => {
  const digests = Array.from({ length: 5000 }, (_, i) => i.toString(16).padStart(64, '0'));

  test('are read in steps', async () => {
    leap();
    const parse = Number.parseInt;
    let read: Awaited<ReturnType<typeof readPieceDigests>>;
    const most = await mostInOneTurn(async (count) => {
      jest.spyOn(Number, 'parseInt').mockImplementation((text, radix) => {
        count();
        return parse(text, radix);
      });
      read = await readPieceDigests(frontWith(digests));
    });
    expect(most).toBe(32 * digestsBetween);
    expect(read!.digests.map(toHex)).toEqual(digests);
    for (const bad of [1, 'ab', `${'0'.repeat(63)}x`]) {
      await expect(readPieceDigests(frontWith([...digests, bad]))).rejects.toThrow('digests');
    }
  });

  test('of more pieces than a call may have arguments make a model’s digest, in steps', async () => {
    leap();
    const pieceDigests = new Array<Uint8Array<ArrayBuffer>>(300_000).fill(new Uint8Array(32));
    const model = newSignedModel();
    const shard = { name: 'a', model };
    addSignedShard(shard, frontWith([]), { pieceBytes: 4096, digests: pieceDigests });
    expect(model.pieceDigests).toHaveLength(300_000);
    const work = modelDigest(pieceDigests);
    expect(await turnsUntil(work)).toBeGreaterThanOrEqual(1000);
    expect(await work).toMatch(/^[\da-f]{64}$/);
  });
});

test('the members of long metadata are found in steps, until that is aborted', async () => {
  const vocab = Array.from({ length: 20_000 }, (_, i) => `token ${i}`);
  const text = JSON.stringify({ vocab, piece_digests: 1 });
  const yielder = new CountedYieldController();
  const changed = await withMembers(text, { piece_digests: 2 }, yielder);
  expect(JSON.parse(changed)).toEqual({ vocab, piece_digests: 2 });
  // Each entry is a text and a comma.
  expect(yielder.steps).toBe(Math.floor((2 * vocab.length + 8) / 1024));
  const stopped = new YieldController(AbortSignal.abort('enough'));
  await expect(withMembers(text, {}, stopped)).rejects.toBe('enough');
});

describe('a file with long metadata, and bytes behind its tensors', () => {
  const gapBytes = 8 * mebibyte;
  const file = {
    ...tinyWhisper(),
    metadata: { ...tinyMetadata, note: 'x'.repeat(3 * mebibyte) },
    gapBytes,
  };

  async function jobOf(bytes: Uint8Array) {
    const positions: number[] = [];
    const written: number[] = [];
    const job: TransformJob = {
      core: new Apr2Core(await filesModule()),
      open: () => Promise.resolve(once(bytes)),
      write: (piece) => Promise.resolve(void written.push(piece.length)),
      onStep: (position) => Promise.resolve(void positions.push(position)),
      yielder: new YieldController(),
    };
    return { job, positions, written };
  }
  async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(bytes);
  }

  test('is read and written with a step for each mebibyte', async () => {
    const { job, positions, written } = await jobOf(writeApr2(file));
    const digests = await pieceDigestsOf(job, false);
    const leaps = positions.map((position, i) => position - (positions[i - 1] ?? 0));
    expect(positions.at(-1)).toBeGreaterThan(11 * mebibyte);
    expect(Math.max(...leaps)).toBeLessThanOrEqual(mebibyte);
    await writeDigested(job, digests, undefined);
    expect(written.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(3 * mebibyte);
    expect(Math.max(...written)).toBeLessThanOrEqual(mebibyte);
  });

  test('is searched for its end with a step for each mebibyte', async () => {
    const { bytes } = writeSealed(file, { digests: { pieceSize: mebibyte }, gapBytes });
    const yielder = new CountedYieldController();
    const core = new Apr2Core(await filesModule());
    const found = await checkPieces({ core, open: () => Promise.resolve(once(bytes)), yielder });
    expect(found.outcome).toBe('passed');
    expect(yielder.steps).toBeGreaterThanOrEqual(11);
  });

  test('goes on to its reader in pieces when it is decrypted', async () => {
    const key = Uint8Array.from({ length: 32 }, (_, i) => i);
    const { bytes } = writeSealed(file, { encryption: { key, pieceSize: 4096 }, gapBytes });
    const core = new Apr2Core(await filesModule());
    const keys = { key, publicKeys: undefined, isSignatureRequired: false };
    const opened = { keys, decryption: 'plain' } as const;
    const lengths: number[] = [];
    for await (const piece of decryptAndVerify(core, new ByteQueue(once(bytes)), opened, {})) {
      lengths.push(piece.length);
    }
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(bytes.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(mebibyte);
  });
});

test('the digits of a vocabulary are written in steps', async () => {
  const openFiles = () => openInProcess<FilesCalls, never>(new FilesHost(filesModule));
  const { stream, bytes } = collectedStream();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called on the number below
  const { toString } = Number.prototype;
  leap();
  const most = await mostInOneTurn(async (count) => {
    jest.spyOn(Number.prototype, 'toString').mockImplementation(function (this: number, radix) {
      if (radix === 16) count();
      return toString.call(this, radix);
    });
    const source = writeApr2(tinyWhisper());
    await extractOn({ ...node, openFiles }, source, 'vocabulary', stream, {});
  });
  const tokens = JSON.parse(Buffer.from(bytes()).toString()) as { id: number; bytes: string }[];
  expect(tokens).toHaveLength(tinyMetadata.vocab.length);
  expect(tokens.map(({ id }) => id)).toEqual([...tokens.keys()]);
  const longest = Math.max(...tokens.map((token) => token.bytes.length / 2));
  expect(longest).toBeGreaterThan(0);
  expect(most).toBe(longest);
});
