// Tensors beyond 4 GiB, in a stream that is made as it is read: their offsets are u64.
import { beforeAll, expect, jest, test } from '@jest/globals';
import { ByteList, crc32, writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { limit } from '../support/limits.js';
import { tinyDims, tinyWhisper } from '../support/tiny_whisper.js';

jest.setTimeout(limit(300_000));

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const gapBytes = 2 ** 32 + 4096;

/** The CRC of what `crc` covers and of so many zeros behind it: a linear map of the register, applied in powers of two. */
function crcWithZeros(crc: number, count: number): number {
  // One zero byte, as the columns of a matrix over GF(2).
  const once = (register: number): number => {
    for (let bit = 0; bit < 8; ++bit) {
      register = register & 1 ? (register >>> 1) ^ 0xedb88320 : register >>> 1;
    }
    return register >>> 0;
  };
  const apply = (columns: readonly number[], register: number): number =>
    columns.reduce((sum, column, bit) => ((register >>> bit) & 1 ? sum ^ column : sum), 0) >>> 0;
  let columns = Array.from({ length: 32 }, (_, bit) => once((1 << bit) >>> 0));
  let register = ~crc >>> 0;
  for (let left = count; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) register = apply(columns, register);
    const squared = columns;
    columns = columns.map((column) => apply(squared, column));
  }
  return ~register >>> 0;
}

/** The CRC of bytes behind what `crc` covers. */
function crcWith(crc: number, bytes: Uint8Array): number {
  // Linear again: what the zeros make of the register, and the bytes alone.
  return (crcWithZeros(crc, bytes.length) ^ crcWithZeros(0, bytes.length) ^ crc32(bytes)) >>> 0;
}

/** The tiny Whisper with all of its data behind the gap. */
async function* beyond(): AsyncGenerator<Uint8Array> {
  const tiny = tinyWhisper();
  let next = 0;
  const tensors = tiny.tensors.map((tensor) => {
    const offset = gapBytes + next;
    next = Math.ceil((next + tensor.stored.length) / 64) * 64;
    return { ...tensor, offset };
  });
  const near = writeApr2({ ...tiny, tensors });
  const dataOffset = new DataView(near.buffer).getUint32(28, true);
  const head = near.slice(0, dataOffset);
  const data = near.slice(dataOffset, -16);
  const crc = crcWith(crcWithZeros(crc32(head), gapBytes), data);
  yield head;
  const zeros = new Uint8Array(1 << 20);
  for (let left = gapBytes; left > 0; left -= zeros.length) {
    yield zeros.subarray(0, Math.min(left, zeros.length));
    await Promise.resolve();
  }
  yield data;
  const byteCount = dataOffset + gapBytes + data.length + 16;
  yield new ByteList().u32(crc).text('2RPA').u64(byteCount).done();
}

test('the arithmetic of the checksum is right', () => {
  const bytes = new TextEncoder().encode('123456789');
  const padded = new Uint8Array(9 + 1000);
  padded.set(bytes);
  expect(crcWithZeros(crc32(bytes), 1000)).toBe(crc32(padded));
  expect(crcWith(crc32(bytes.subarray(0, 4)), bytes.subarray(4))).toBe(0xcbf43926);
});

test('a model whose tensors lie beyond 4 GiB has the weights of one where they do not', async () => {
  const fingerprint = async (source: Uint8Array | AsyncIterable<Uint8Array>) => {
    const model = await susurrus.loadModel<'whisper'>(source, { variant: 'simd' });
    try {
      const nFrames = 2 * tinyDims.n_audio_ctx;
      const data = Float32Array.from({ length: tinyDims.n_mels * nFrames }, (_, i) => Math.sin(i));
      expect(model.info.warnings).toEqual([]);
      return [...(await model.encode({ data, nMels: tinyDims.n_mels, nFrames }))];
    } finally {
      model.dispose();
    }
  };
  expect(await fingerprint(beyond())).toEqual(await fingerprint(writeApr2(tinyWhisper())));
});
