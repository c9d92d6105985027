// ggml's reference quantiser, written down from its description: f32 arithmetic, the unrounded d, d then rounded to f16.
import { toHalf } from './halves.js';

export const blockBytes = { q8_0: 34, q5_1: 24, q5_0: 22, q4_1: 20, q4_0: 18 } as const;
export type BlockType = keyof typeof blockBytes;
export const blockTypes = Object.keys(blockBytes) as BlockType[];

// Looking up a global costs in jest's sandbox, and golden models have millions of values.
const { abs, floor, fround: f32, min, sign, trunc } = Math;

const made = new WeakMap<Float32Array, Map<BlockType, Uint8Array>>();

/** Blocks of 32 values each; of the same values, the same ones. */
export function quantise(type: BlockType, values: Float32Array): Uint8Array {
  const known = made.get(values) ?? new Map<BlockType, Uint8Array>();
  made.set(values, known);
  const blocks = known.get(type) ?? writeBlocks(type, values);
  known.set(type, blocks);
  return blocks;
}

function writeBlocks(type: BlockType, values: Float32Array): Uint8Array {
  const size = blockBytes[type];
  const blocks = new Uint8Array((values.length / 32) * size);
  for (let i = 0; i < values.length / 32; ++i) {
    const block = new DataView(blocks.buffer, i * size, size);
    writeBlock(type, values.subarray(32 * i, 32 * i + 32), block);
  }
  return blocks;
}

function writeBlock(type: BlockType, x: Float32Array, block: DataView): void {
  const levels = type.startsWith('q5') ? 32 : 16;
  let [least, most] = [x[0]!, x[0]!];
  let extreme = 0;
  for (const value of x) {
    if (value < least) least = value;
    if (value > most) most = value;
    if (abs(value) > abs(extreme)) extreme = value;
  }
  const isSymmetric = type.endsWith('_0');
  const range = isSymmetric ? extreme : f32(most - least);
  const d = f32(
    type === 'q8_0'
      ? abs(extreme) / 127
      : isSymmetric
        ? range / -(levels / 2)
        : range / (levels - 1),
  );
  const inverse = d === 0 ? 0 : f32(1 / d);
  block.setUint16(0, toHalf(d), true);
  if (type === 'q8_0') {
    for (let i = 0; i < 32; ++i) {
      const scaled = f32(x[i]! * inverse);
      block.setInt8(2 + i, sign(scaled) * floor(abs(scaled) + 0.5));
    }
    return;
  }
  if (!isSymmetric) block.setUint16(2, toHalf(least), true);
  const q: number[] = [];
  for (let i = 0; i < 32; ++i) {
    const level = isSymmetric
      ? f32(f32(x[i]! * inverse) + levels / 2 + 0.5)
      : f32(f32(f32(x[i]! - least) * inverse) + 0.5);
    q.push(min(levels - 1, trunc(level)));
  }
  writeNibbles(q, block, isSymmetric ? 2 : 4, levels === 32);
}

function writeNibbles(q: readonly number[], block: DataView, at: number, hasFifth: boolean): void {
  const nibbles = hasFifth ? at + 4 : at;
  if (hasFifth) {
    const bits = q.reduce((sum, value, i) => sum + (value >> 4) * 2 ** i, 0);
    block.setUint32(at, bits, true);
  }
  for (let i = 0; i < 16; ++i) {
    block.setUint8(nibbles + i, (q[i]! & 15) | ((q[i + 16]! & 15) << 4));
  }
}
