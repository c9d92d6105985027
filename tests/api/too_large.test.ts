// What 32-bit addresses cannot hold is rejected when its index is read: a stream shows that no weight was.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { SusurrusError } from '../../web/src/node.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { tinyMetadata, whisperShapes, type WhisperDims } from '../support/tiny_whisper.js';

const largeV3: WhisperDims = {
  ...{ n_vocab: 51866, n_audio_ctx: 1500, n_text_ctx: 448, n_mels: 128 },
  ...{ n_audio_layer: 32, n_text_layer: 32, n_audio_head: 20, n_text_head: 20 },
  ...{ n_audio_state: 1280, n_text_state: 1280 },
};
/** APR2's numbers, and bytes of 32 values. */
const types = { f32: [0, 128], f16: [1, 64], q8_0: [16, 34] } as const;
type Type = keyof typeof types;

interface Endless {
  readonly head: Uint8Array;
  readonly tensorBytes: number;
}

/** The beginning of a file: everything before the weights. Matrices are of `type`, the rest f32. */
function headOf(dims: WhisperDims, type: Type): Endless {
  let next = 0;
  let tensorBytes = 0;
  const tensors = whisperShapes(dims).map(([name, shape]) => {
    const isMatrix = shape.length === 2 && !name.includes('positional');
    const [dtype, blockBytes] = types[isMatrix ? type : 'f32'];
    const size = (shape.reduce((product, side) => product * side, 1) / 32) * blockBytes;
    const offset = next;
    next = Math.ceil((next + size) / 64) * 64;
    tensorBytes += size;
    return { name, dtype, dims: shape, stored: new Uint8Array(), offset, size };
  });
  const file = writeApr2({ metadata: { ...tinyMetadata, architecture: dims }, tensors });
  const dataOffset = new DataView(file.buffer).getUint32(28, true);
  return { head: file.slice(0, dataOffset), tensorBytes };
}

/** The head, then some weights; `read` counts those. */
function streamed(head: Uint8Array): { bytes: AsyncGenerator<Uint8Array>; read: () => number } {
  let count = 0;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield head;
    for (let i = 0; i < 4; ++i) {
      count += 1 << 20;
      yield new Uint8Array(1 << 20);
      await Promise.resolve();
    }
  }
  return { bytes: pieces(), read: () => count };
}

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const load = (head: Uint8Array, threads: number): Promise<[SusurrusError, number]> => {
  const { bytes, read } = streamed(head);
  const options = { variant: 'simd', threads } as const;
  return errorOf(susurrus.loadModel<'whisper'>(bytes, options)).then((error) => [
    error as SusurrusError,
    read(),
  ]);
};

describe('a model that does not fit into 4 GiB', () => {
  test.each([
    ['for its weights', { ...largeV3 }, 'f32', 1],
    ['for its weights, with threads', { ...largeV3 }, 'f32', 2],
    ['for its caches', { ...largeV3, n_text_ctx: 8192 }, 'f16', 1],
  ] as const)('is refused before its first weight, %s', async (_, dims, type, threads) => {
    const { head, tensorBytes } = headOf(dims, type);
    const [error, read] = await load(head, threads);
    expect(error).toMatchObject({
      code: 'out_of_memory',
      details: { reason: 'memory', subject: 'bytes of the model' },
    });
    const { expected, got } = error.details;
    expect(Number(expected)).toBeLessThan(2 ** 32);
    expect(Number(expected)).toBeGreaterThan(2 ** 32 - 2 ** 23);
    expect(Number(got)).toBeGreaterThan(tensorBytes);
    // A stream is read a piece or two ahead.
    expect(read).toBeLessThanOrEqual(2 << 20);
  });

  test.each(['f16', 'q8_0'] as const)('large-v3 in %s does', async (type) => {
    const { head, tensorBytes } = headOf(largeV3, type);
    const [error, read] = await load(head, 1);
    expect(error.code).toBe('truncated_input');
    expect(read).toBe(4 << 20);
    expect(tensorBytes).toBeGreaterThan(type === 'f16' ? 3e9 : 1.6e9);
  });
});
