// The promises about memory, counted in the engine's own allocator on a model of 64 MiB.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { MainModule } from '../../web/src/engine/engine.mjs';
import {
  flagBits,
  writeApr2,
  type WrittenFile,
  type WrittenTensor,
} from '../support/apr2_writer.js';
import { coreError, engineModule, pushAll } from '../support/engine_module.js';
import { lz4Stream } from '../support/lz4_blocks.js';
import { manifestBytes, tinyShards } from '../support/sharded_model.js';
import {
  tinyDims,
  tinyMetadata,
  whisperShapes,
  type WhisperDims,
} from '../support/tiny_whisper.js';

const mebibyte = 2 ** 20;
const blockBytes = 65536;
const dims = {
  ...tinyDims,
  n_audio_layer: 3,
  n_text_layer: 2,
  n_audio_head: 8,
  n_text_head: 8,
  n_audio_state: 512,
  n_text_state: 512,
};

const metadata = { ...tinyMetadata, architecture: dims };

/** One block of weights, and the same as LZ4 has it: every tensor repeats it. */
const block = new Uint8Array(
  Float32Array.from({ length: blockBytes / 4 }, (_, i) => (i % 64) / 1024).buffer,
);

function repeated(piece: Uint8Array, times: number, rest: Uint8Array): Uint8Array {
  const all = new Uint8Array(piece.length * times + rest.length);
  for (let i = 0; i < times; ++i) all.set(piece, i * piece.length);
  all.set(rest, piece.length * times);
  return all;
}

/** Each is written once: that takes seconds. */
const models = new Map<boolean, ReturnType<typeof writeLarge>>();

function largeModel(isCompressed: boolean): ReturnType<typeof writeLarge> {
  const model = models.get(isCompressed) ?? writeLarge(isCompressed);
  models.set(isCompressed, model);
  return model;
}

function writeLarge(
  isCompressed: boolean,
  fields: Omit<typeof tinyMetadata, 'architecture'> & { architecture: WhisperDims } = metadata,
): {
  file: Uint8Array;
  tensorBytes: number;
  written: WrittenFile;
} {
  const storedBlock = isCompressed ? lz4Stream(block) : block;
  let tensorBytes = 0;
  const tensors = whisperShapes(fields.architecture).map(([name, shape]): WrittenTensor => {
    const byteCount = 4 * shape.reduce((product, side) => product * side, 1);
    tensorBytes += byteCount;
    const rest = block.subarray(0, byteCount % blockBytes);
    const storedRest = isCompressed && rest.length > 0 ? lz4Stream(rest) : rest;
    const stored = repeated(storedBlock, Math.floor(byteCount / blockBytes), storedRest);
    return isCompressed && stored.length < byteCount
      ? { name, dims: shape, stored, rawSize: byteCount }
      : { name, dims: shape, stored };
  });
  const flags = flagBits.aligned64 | (isCompressed ? flagBits.compressed : 0);
  const written = { flags, metadata: fields, tensors };
  return { file: writeApr2(written), tensorBytes, written };
}

const metadataBytes = JSON.stringify(metadata).length;
const largestTensor = 4 * 4 * 512 * 512;

let module: MainModule;
beforeAll(async () => {
  module = await engineModule();
});

const wasmBytes = () => (module.HEAPU8 as Uint8Array).byteLength;

describe.each([
  { storage: 'raw', isCompressed: false, isLengthKnown: true },
  { storage: 'raw', isCompressed: false, isLengthKnown: false },
  { storage: 'LZ4', isCompressed: true, isLengthKnown: true },
  { storage: 'LZ4', isCompressed: true, isLengthKnown: false },
])(
  'a model of 64 MiB, $storage, length known: $isLengthKnown',
  ({ isCompressed, isLengthKnown }) => {
    test('takes its weights, three times its metadata and a mebibyte at most', () => {
      const { file, tensorBytes } = largeModel(isCompressed);
      expect(tensorBytes).toBeGreaterThan(64 * mebibyte);

      module.resetHeapPeak();
      const before = module.heapStatistics().currentBytes;
      const heap = () => module.heapStatistics().currentBytes - before;
      const loader = new module.Loader();
      if (isLengthKnown) loader.setByteCount(file.length);
      let worstStep = 0;
      let memory = wasmBytes();
      let mostAhead = -Infinity;
      const error = pushAll(loader, file, (pushed) => {
        worstStep = Math.max(worstStep, wasmBytes() - memory);
        memory = wasmBytes();
        // Raw bytes arrived at most; only the tensor under way may be ahead of them.
        if (!isCompressed) mostAhead = Math.max(mostAhead, heap() - pushed);
      });
      expect(error).toBeUndefined();
      expect(coreError(loader.finish())).toBeUndefined();

      const peak = module.heapStatistics().peakBytes - before;
      const limit = tensorBytes + 3 * metadataBytes + mebibyte;
      expect(peak).toBeLessThanOrEqual(limit);
      expect(peak).toBeGreaterThan(tensorBytes); // or the count counts nothing
      if (!isCompressed) {
        expect(mostAhead).toBeLessThanOrEqual(largestTensor + 3 * metadataBytes + mebibyte);
      }
      // Between two pushes at most what was asked for and one step; a push places at most one tensor more.
      expect(worstStep).toBeLessThanOrEqual(isCompressed ? memory : largestTensor + 2 * mebibyte);
      expect(memory).toBeLessThanOrEqual(limit + 4 * mebibyte);
      loader.delete();
      expect(heap()).toBeLessThan(64 * 1024);
    });
  },
);

test.each([
  { storage: 'raw', isCompressed: false },
  { storage: 'LZ4', isCompressed: true },
])(
  "with a vocabulary as large as Whisper's, $storage, 2 MiB above its tensors at most",
  ({ isCompressed }) => {
    const specialTokens = tinyMetadata.vocab.indexOf('<|endoftext|>');
    const vocab = [
      ...tinyMetadata.vocab.slice(0, specialTokens),
      ...Array.from({ length: 50_000 }, (_, i) => `Ġword${i.toString(36)}`),
      ...tinyMetadata.vocab.slice(specialTokens),
    ];
    const architecture = { ...dims, n_vocab: vocab.length, n_audio_state: 128, n_text_state: 128 };
    const { file, tensorBytes } = writeLarge(isCompressed, { ...metadata, vocab, architecture });
    expect(tensorBytes).toBeGreaterThan(24 * mebibyte);
    module.resetHeapPeak();
    const before = module.heapStatistics().currentBytes;
    const loader = new module.Loader();
    loader.setByteCount(file.length);
    expect(pushAll(loader, file)).toBeUndefined();
    expect(coreError(loader.finish())).toBeUndefined();
    const peak = module.heapStatistics().peakBytes - before;
    expect(peak).toBeGreaterThan(tensorBytes);
    expect(peak - tensorBytes).toBeLessThanOrEqual(2 * mebibyte);
    loader.delete();
  },
);

test('a model in shards takes its weights, three times its metadata and a mebibyte at most', () => {
  const { tensorBytes, written } = largeModel(false);
  const model = tinyShards(4, { whole: written });
  module.resetHeapPeak();
  const before = module.heapStatistics().currentBytes;
  const loader = new module.Loader();
  for (const bytes of [manifestBytes(model), ...model.files.values()]) {
    loader.setByteCount(bytes.length);
    expect(pushAll(loader, bytes)).toBeUndefined();
    expect(coreError(loader.finish())).toBeUndefined();
  }
  expect(JSON.parse(loader.missingFiles())).toEqual([]);
  const peak = module.heapStatistics().peakBytes - before;
  expect(peak).toBeLessThanOrEqual(tensorBytes + 3 * metadataBytes + mebibyte);
  expect(peak).toBeGreaterThan(tensorBytes);
  loader.delete();
  expect(module.heapStatistics().currentBytes - before).toBeLessThan(64 * 1024);
});

describe('a file that only claims to be large', () => {
  test.each([true, false])('takes no memory for it (length known: %s)', (isLengthKnown) => {
    const { file } = largeModel(false);
    const before = module.heapStatistics().currentBytes;
    module.resetHeapPeak();
    const loader = new module.Loader();
    if (isLengthKnown) loader.setByteCount(file.length);
    const beginning = file.subarray(0, 200_000);
    expect(pushAll(loader, beginning)).toBeUndefined();
    expect(coreError(loader.finish())).toMatchObject({ code: 'truncated_input' });
    const peak = module.heapStatistics().peakBytes - before;
    expect(peak).toBeLessThan(largestTensor + 3 * metadataBytes + mebibyte);
    loader.delete();
  });
});
