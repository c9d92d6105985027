// ggml's reference quantiser, written down from its description: f32 arithmetic, the unrounded d, d then rounded to f16.
import { toHalf } from './halves.js';

export const blockBytes = { q8_0: 34, q5_1: 24, q5_0: 22, q4_1: 20, q4_0: 18 } as const;
export type BlockType = keyof typeof blockBytes;
export const blockTypes = Object.keys(blockBytes) as BlockType[];

const f32 = Math.fround;

/** Blocks of 32 values each. */
export function quantise(type: BlockType, values: Float32Array): Uint8Array {
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
  if (type === 'q8_0') {
    const d = f32(Math.max(...x.map(Math.abs)) / 127);
    const inverse = d === 0 ? 0 : f32(1 / d);
    block.setUint16(0, toHalf(d), true);
    x.forEach((value, i) => {
      const scaled = f32(value * inverse);
      block.setInt8(2 + i, Math.sign(scaled) * Math.floor(Math.abs(scaled) + 0.5));
    });
  } else if (type.endsWith('_0')) {
    const extreme = x.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
    const d = f32(extreme / -(levels / 2));
    const inverse = d === 0 ? 0 : f32(1 / d);
    block.setUint16(0, toHalf(d), true);
    const q = Array.from(x, (value) =>
      Math.min(levels - 1, Math.trunc(f32(f32(value * inverse) + levels / 2 + 0.5))),
    );
    writeNibbles(q, block, 2, levels === 32);
  } else {
    const least = Math.min(...x);
    const d = f32(f32(Math.max(...x) - least) / (levels - 1));
    const inverse = d === 0 ? 0 : f32(1 / d);
    block.setUint16(0, toHalf(d), true);
    block.setUint16(2, toHalf(least), true);
    const q = Array.from(x, (value) =>
      Math.min(levels - 1, Math.trunc(f32(f32(f32(value - least) * inverse) + 0.5))),
    );
    writeNibbles(q, block, 4, levels === 32);
  }
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
