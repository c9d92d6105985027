import { readFileSync } from 'node:fs';
import { expect, jest, test } from '@jest/globals';
import { hasSettledRelaxedSimd } from '../../scripts/toolchain/node_flags.mjs';
import { builtPackage } from '../support/built_package.js';
import {
  fullSizeModel,
  fullSizeNeeds,
  fullSizeOptions,
  fullSizes,
  lecture,
  tellFigures,
} from '../support/full_size_models.js';
import { limit } from '../support/limits.js';
import { describeWithShared } from '../support/shared_folder.js';

jest.setTimeout(limit(600_000));

const dimensions = {
  tiny: { nAudioState: 384, nAudioHead: 6, nAudioLayer: 4, nTextLayer: 4 },
  base: { nAudioState: 512, nAudioHead: 8, nAudioLayer: 6, nTextLayer: 6 },
};

// Where relaxed SIMD is not settled, that engine computes quantised models in floats.
const variant = hasSettledRelaxedSimd() ? 'relaxed' : 'simd';

describeWithShared(fullSizeNeeds, 'a Whisper of full size, in Node', () => {
  for (const [size, dtype] of fullSizes) {
    test(`${size} in ${dtype} converts, loads and transcribes a minute to its end`, async () => {
      const path = fullSizeModel(size, dtype);
      const { inspect, loadModel } = await builtPackage();
      const { byteCount, tensors } = await inspect(path);
      const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
      const tensorBytes = sum(tensors.map((tensor) => tensor.rawSize));
      const metadataBytes = byteCount - sum(tensors.map((tensor) => tensor.size));
      const began = performance.now();
      const model = await loadModel<'whisper'>(path, { variant });
      const loaded = performance.now();
      try {
        expect(model.info.dims).toMatchObject({ ...dimensions[size], nVocab: 51865, nMels: 80 });
        expect(model.info.languages).toHaveLength(99);
        const fresh = await model.memory();
        // Quantised matrices are padded to whole panels of 8 rows: the vocabulary's by 7.
        const embedding = tensors.find(({ name }) => /token_embedding|embed_tokens/.test(name));
        const padding = dtype === 'q8_0' ? (7 * (embedding?.rawSize ?? NaN)) / 51865 : 0;
        expect(fresh.weightBytes).toBe(tensorBytes + padding);
        const planned = fresh.kvCacheBytes + fresh.activationBytes;
        // The promise of a load, and what was planned beside it.
        const promised = tensorBytes + 3 * metadataBytes + 2 ** 20;
        expect(fresh.heapPeakBytes).toBeLessThanOrEqual(promised + planned);

        const sound = readFileSync(lecture);
        const begun = performance.now();
        // Random weights write to the end of a window's text. The full length is tiny's; base shows its memory, planned whatever
        // is written, with less.
        const length = size === 'tiny' ? null : 40;
        const result = await model.transcribe(sound, { ...fullSizeOptions, sampleLength: length });
        const done = performance.now();
        expect(result.duration).toBeCloseTo(60, 0);
        const windows = new Set(result.segments.map((segment) => segment.seek));
        expect(windows.size).toBeGreaterThan(1);

        // What the first minute took is all it ever takes.
        const after = await model.memory();
        expect(after.heapBytes - fresh.heapBytes).toBeLessThanOrEqual(64 * 1024);
        const beginning = sound.subarray(0, 44 + 5 * 32000);
        await model.transcribe(beginning, { ...fullSizeOptions, sampleLength: 40 });
        const again = await model.memory();
        expect(again.heapBytes).toBeLessThanOrEqual(after.heapBytes);
        expect(again.heapPeakBytes).toBe(after.heapPeakBytes);
        expect(again.wasmBytes).toBe(after.wasmBytes);
        tellFigures('Node', `${size} ${dtype}`, {
          loadSeconds: (loaded - began) / 1000,
          workSeconds: (done - begun) / 1000,
          audioSeconds: result.duration,
          wasmBytes: again.wasmBytes,
        });
      } finally {
        model.dispose();
      }
    });
  }
});
