// What the TypeScript writer writes, the engine reads the same however it arrives.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ByteList, crc32, flagBits, writeApr2, type WrittenFile } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { decodeLz4Stream, lz4Stream } from '../support/lz4_blocks.js';
import { tinyDims, tinyShapes, tinyWhisper } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

/** `bytes` in pieces of the given sizes, the last size again and again. */
async function* pieces(bytes: Uint8Array, ...sizes: number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let i = 0; at < bytes.length; ++i) {
    const size = Math.max(1, sizes[Math.min(i, sizes.length - 1)]!);
    yield bytes.slice(at, at + size);
    at += size;
    await Promise.resolve();
  }
}

/** Audio states of a fixed mel: they depend on every encoder weight. */
async function fingerprint(source: Uint8Array | AsyncIterable<Uint8Array>): Promise<number[]> {
  const model = await susurrus.loadModel<'whisper'>(source, { variant: 'simd' });
  try {
    const nFrames = 2 * tinyDims.n_audio_ctx;
    const data = Float32Array.from({ length: tinyDims.n_mels * nFrames }, (_, i) => Math.sin(i));
    const states = await model.encode({ data, nMels: tinyDims.n_mels, nFrames });
    const logits = await model.logits([29, 30, 32, 36]);
    return [...states, ...logits];
  } finally {
    model.dispose();
  }
}

describe('APR2 written in TypeScript', () => {
  test('the sheet’s golden file comes out', () => {
    // apr.md §11, G2
    const file = writeApr2({
      metadata:
        '{"apr_version":"2.0.0","model_type":"whisper","architecture":{"n_vocab":51865,' +
        '"n_audio_ctx":1500,"n_text_ctx":448,"n_mels":80,"n_audio_layer":4,"n_text_layer":4,' +
        '"n_audio_head":6,"n_text_head":6,"n_audio_state":384,"n_text_state":384}}',
      tensors: [
        {
          name: 'encoder.conv1.bias',
          dims: [4],
          stored: new Uint8Array(Float32Array.of(0, 1, -2, 0.5).buffer),
        },
      ],
    });
    expect(file.length).toBe(416);
    expect(crc32(file.subarray(0, 400))).toBe(0x582cbe89);
    expect(new DataView(file.buffer).getUint32(400, true)).toBe(0x582cbe89);
  });

  test('LZ4 in TypeScript reverses itself', () => {
    const raw = Uint8Array.from({ length: 150_000 }, (_, i) => ((i * i) % 97) >> (i % 3));
    const stored = lz4Stream(raw);
    expect(stored.length).toBeLessThan(raw.length);
    expect(decodeLz4Stream(stored, raw.length)).toEqual(raw);
  });

  test('inspect tells what was written', async () => {
    const written = tinyWhisper({ compress: true });
    const found = await susurrus.inspect(writeApr2(written));
    expect(found.format).toBe('APR2');
    expect(found.version).toBe('2.0');
    expect(found.flags).toEqual(['COMPRESSED', 'ALIGNED_64']);
    expect(found.warnings).toEqual([]);
    expect(found.tensors.map(({ name, shape, dtype }) => [name, [...shape], dtype])).toEqual(
      tinyShapes.map(([name, shape]) => [name, shape, 'f32']),
    );
    for (const [index, tensor] of found.tensors.entries()) {
      const { stored, rawSize } = written.tensors[index]!;
      expect(tensor.size).toBe(stored.length);
      expect(tensor.rawSize).toBe(rawSize ?? stored.length);
      expect(tensor.offset % 64).toBe(0);
    }
  });

  const split = tinyWhisper({ compress: true });
  const layouts: [string, WrittenFile][] = [
    ['compressed', split],
    ['data in another order', tinyWhisper({ reverseData: true })],
    ['a gap before the footer', { ...tinyWhisper(), gapBytes: 1000 }],
    ['a higher minor version', { ...tinyWhisper(), versionMinor: 3 }],
    ['a Streaming hint', { ...tinyWhisper(), flags: flagBits.aligned64 | flagBits.streaming }],
  ];
  test.each(layouts)('%s gives the same weights', async (_, layout) => {
    expect(await fingerprint(writeApr2(layout))).toEqual(
      await fingerprint(writeApr2(tinyWhisper())),
    );
  });

  test.each([1, 7, 65_535, 65_536, 65_537])(
    'pieces of %d bytes give the same weights',
    async (size) => {
      const file = writeApr2(split);
      // One byte at a time through the whole file would only be slow: the structure is what matters.
      const sizes = size === 1 ? [...Array<number>(6000).fill(1), 4096] : [size];
      expect(await fingerprint(pieces(file, ...sizes))).toEqual(await fingerprint(file));
    },
  );

  test('random pieces give the same weights', async () => {
    const file = writeApr2(split);
    const whole = await fingerprint(file);
    let random = 2024;
    const next = () => (random = (Math.imul(random, 1103515245) + 12345) >>> 0) >>> 16;
    for (let round = 0; round < 5; ++round) {
      const sizes = Array.from({ length: 2000 }, () => next() % (1 << (1 + (next() % 15))));
      expect(await fingerprint(pieces(file, ...sizes))).toEqual(whole);
    }
  });

  test('every split inside the header, the metadata and the index is harmless', async () => {
    const file = writeApr2(split);
    const whole = await susurrus.inspect(file);
    const dataOffset = new DataView(file.buffer).getUint32(28, true);
    for (let at = 1; at <= dataOffset; at += at < 64 || at > dataOffset - 80 ? 1 : 53) {
      expect(await susurrus.inspect(pieces(file, at, file.length))).toEqual(whole);
    }
  });

  test('a signature behind the file is accepted with a warning', async () => {
    const file = new ByteList()
      .bytes(writeApr2(tinyWhisper()))
      .bytes(new Uint8Array(96).fill(7))
      .done();
    const found = await susurrus.inspect(file);
    expect(found.warnings.join()).toContain('signature');
  });
});
