// ggml's reference quantiser, written down from its description: f32 arithmetic, the unrounded d, d then rounded to f16.
import { toHalf } from './halves.js';

export const blockBytes = { q8_0: 34, q5_1: 24, q5_0: 22, q4_1: 20, q4_0: 18 } as const;
export type BlockType = keyof typeof blockBytes;
export const blockTypes = Object.keys(blockBytes) as BlockType[];

const f32 = Math.fround;

/** Blocks of 32 values each. Millions pass through here: plain loops, and nothing is allocated for a block. */
export function quantise(type: BlockType, values: Float32Array): Uint8Array {
  const size = blockBytes[type];
  const blocks = new Uint8Array((values.length / 32) * size);
  const view = new DataView(blocks.buffer);
  const write = type === 'q8_0' ? writeBytes : type.endsWith('_0') ? writeSigned : writeUnsigned;
  const levels = type.startsWith('q5') ? 32 : 16;
  for (let from = 0, at = 0; from < values.length; from += 32, at += size) {
    write(values, from, view, at, levels);
  }
  return blocks;
}

/** Returns what a value is multiplied with to become its number. */
function writeScale(view: DataView, at: number, d: number): number {
  view.setUint16(at, toHalf(d), true);
  return d === 0 ? 0 : f32(1 / d);
}

function writeBytes(values: Float32Array, from: number, view: DataView, at: number): void {
  let magnitude = 0;
  for (let i = from; i < from + 32; ++i) magnitude = Math.max(magnitude, Math.abs(values[i]!));
  const d = f32(magnitude / 127);
  const inverse = writeScale(view, at, d);
  for (let i = 0; i < 32; ++i) {
    const scaled = f32(values[from + i]! * inverse);
    view.setInt8(at + 2 + i, Math.sign(scaled) * Math.floor(Math.abs(scaled) + 0.5));
  }
}

/** The numbers of a block's values. */
const q = new Uint8Array(32);

function writeSigned(
  values: Float32Array,
  from: number,
  view: DataView,
  at: number,
  levels: number,
): void {
  let extreme = 0;
  for (let i = from; i < from + 32; ++i) {
    if (Math.abs(values[i]!) > Math.abs(extreme)) extreme = values[i]!;
  }
  const d = f32(extreme / -(levels / 2));
  const inverse = writeScale(view, at, d);
  for (let i = 0; i < 32; ++i) {
    const level = f32(f32(values[from + i]! * inverse) + levels / 2 + 0.5);
    q[i] = Math.min(levels - 1, Math.trunc(level));
  }
  writeNibbles(view, at + 2, levels === 32);
}

function writeUnsigned(
  values: Float32Array,
  from: number,
  view: DataView,
  at: number,
  levels: number,
): void {
  let least = Infinity;
  let most = -Infinity;
  for (let i = from; i < from + 32; ++i) {
    least = Math.min(least, values[i]!);
    most = Math.max(most, values[i]!);
  }
  const d = f32(f32(most - least) / (levels - 1));
  const inverse = writeScale(view, at, d);
  view.setUint16(at + 2, toHalf(least), true);
  for (let i = 0; i < 32; ++i) {
    const level = f32(f32(f32(values[from + i]! - least) * inverse) + 0.5);
    q[i] = Math.min(levels - 1, Math.trunc(level));
  }
  writeNibbles(view, at + 4, levels === 32);
}

function writeNibbles(view: DataView, at: number, hasFifth: boolean): void {
  const nibbles = hasFifth ? at + 4 : at;
  if (hasFifth) {
    let bits = 0;
    for (let i = 0; i < 32; ++i) bits |= (q[i]! >> 4) << i;
    view.setUint32(at, bits, true);
  }
  for (let i = 0; i < 16; ++i) {
    view.setUint8(nibbles + i, (q[i]! & 15) | ((q[i + 16]! & 15) << 4));
  }
}
