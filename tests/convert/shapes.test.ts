// Distilled and fine-tuned shapes, from a hub folder to a transcript: fewer decoder layers, more mel bands, other vocabularies.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { writeRandomModel } from '../../scripts/random_model.mjs';
import { builtPackage } from '../support/built_package.js';
import { sampleBytes } from '../support/embedded_model.js';
import { limit } from '../support/limits.js';

jest.setTimeout(limit(120_000));

const folder = mkdtempSync(join(tmpdir(), 'susurrus-shapes-'));
let susurrus: Awaited<ReturnType<typeof builtPackage>>;
beforeAll(async () => {
  susurrus = await builtPackage();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Bytes, then pairs of them: a rank file of so many text tokens. */
function ranks(count: number): string {
  const path = join(folder, `${count}.tiktoken`);
  const lines = Array.from({ length: count }, (_, rank) => {
    const bytes = rank < 256 ? [rank] : [(rank - 256) >> 8, (rank - 256) & 255];
    return `${Buffer.from(bytes).toString('base64')} ${rank}\n`;
  });
  writeFileSync(path, lines.join(''));
  return path;
}

const english = 50256;
const multilingual = 50257;
const shapes = [
  {
    ...{ name: 'distil-large-v3', textTokens: multilingual },
    dims: { encoderLayers: 4, decoderLayers: 2, melBands: 128, languages: 100 },
    expected: { nVocab: 51866, nMels: 128, nAudioLayer: 4, nTextLayer: 2 },
  },
  {
    ...{ name: 'distil-medium.en', textTokens: english },
    dims: { encoderLayers: 3, decoderLayers: 2 },
    expected: { nVocab: 51864, nMels: 80, nAudioLayer: 3, nTextLayer: 2 },
  },
  {
    ...{ name: 'turbo, one decoder layer', textTokens: multilingual },
    dims: { encoderLayers: 4, decoderLayers: 1, melBands: 128, languages: 100 },
    expected: { nVocab: 51866, nMels: 128, nAudioLayer: 4, nTextLayer: 1 },
  },
  {
    ...{ name: 'fine-tuned, with tokens of its own', textTokens: multilingual },
    dims: { extraTokens: 134 },
    expected: { nVocab: 51999, nMels: 80, nAudioLayer: 2, nTextLayer: 2 },
  },
];

describe.each(shapes)('$name', ({ textTokens, dims, expected, name }) => {
  const hub = join(folder, name);
  beforeAll(() => {
    mkdirSync(hub);
    writeRandomModel('micro', ranks(textTokens), hub, { dims, dtype: 'f16' });
  });

  test.each(['f16', 'q8_0', 'q5_0'] as const)('%s: needs what was planned', async (dtype) => {
    const path = join(folder, `${dtype}.apr`);
    await susurrus.convertModel(hub, path, { dtype, force: true });
    const { dims: inspected, memory: planned, tensors } = await susurrus.inspect(path);
    expect(inspected).toMatchObject(expected);
    const model = await susurrus.loadModel<'whisper'>(path, { variant: 'simd' });
    try {
      expect(model.info.dims).toMatchObject(expected);
      const memory = await model.memory();
      const state = memory.kvCacheBytes + memory.activationBytes;
      expect(state).toBe(planned!.state);
      // Matrices in blocks are padded to panels of 8 rows.
      const padding = tensors.reduce(
        (sum, { shape, rawSize }) => sum + ((8 - (shape[0]! % 8)) % 8) * (rawSize / shape[0]!),
        0,
      );
      expect(memory.weightBytes).toBeGreaterThanOrEqual(planned!.weights);
      expect(memory.weightBytes).toBeLessThanOrEqual(planned!.weights + padding);
      const { duration, segments } = await model.transcribe(sampleBytes(), {
        ...{ temperature: 0, compatibility: 'openai', timestamps: 'word', sampleLength: 40 },
        ...(textTokens === multilingual && { language: 'en' }),
      });
      expect(duration).toBeCloseTo(9, 0);
      for (const { tokens } of segments) {
        for (const token of tokens) expect(token).toBeLessThan(expected.nVocab);
      }
      const { heapPeakBytes } = await model.memory();
      expect(heapPeakBytes).toBeLessThanOrEqual(planned!.total + padding + 8 * 2 ** 20);
    } finally {
      model.dispose();
    }
  });
});
