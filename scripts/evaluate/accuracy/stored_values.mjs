// The values that a model file's weights have, as f32: what a format's rounding does, without what its kernels do.
import { closeSync, cpSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readFacts } from '../../facts/read_facts.mjs';

/** @import { InspectedTensor } from '../../../web/src/api/types.js' */

const dtypes = Object.fromEntries(readFacts('dtypes').dtypes.map((row) => [row.name, row]));

const float32 = new Float32Array(1);
const float32Bits = new Uint32Array(float32.buffer);

export function halfToFloat(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  const size =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? fraction === 0
          ? Infinity
          : NaN
        : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

/** Where a block's parts lie, after its scale; `zero`: the level that stands for 0, where there is no minimum. */
const blockLayouts = {
  q8_0: { levels: 2 },
  q5_1: { minimum: 2, fifthBits: 4, levels: 8 },
  q5_0: { fifthBits: 2, levels: 6, zero: 16 },
  q4_1: { minimum: 2, levels: 4 },
  q4_0: { levels: 2, zero: 8 },
};

function readBlocks(dtype, bytes, values) {
  const { minimum, fifthBits, levels, zero = 0 } = blockLayouts[dtype];
  const { bytesPerBlock: byteCount, elementsPerBlock: blockValues } = dtypes[dtype];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0, first = 0; first < values.length; at += byteCount, first += blockValues) {
    const scale = halfToFloat(view.getUint16(at, true));
    const least = minimum === undefined ? 0 : halfToFloat(view.getUint16(at + minimum, true));
    const fifths = fifthBits === undefined ? 0 : view.getUint32(at + fifthBits, true);
    for (let i = 0; i < blockValues; ++i) {
      const level =
        dtype === 'q8_0'
          ? view.getInt8(at + levels + i)
          : ((bytes[at + levels + (i % 16)] >> (i < 16 ? 0 : 4)) & 15) +
            16 * ((fifths >>> i) & 1) -
            zero;
      // Rounded after the product and after the sum, as the kernels round.
      values[first + i] = Math.fround(scale * level) + least;
    }
  }
}

/**
 * `count` weights of type `dtype` at the beginning of `bytes`.
 * @type {(dtype: string, bytes: Uint8Array, count: number) => Float32Array}
 */
export function storedValues(dtype, bytes, count) {
  const values = new Float32Array(count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (dtype in blockLayouts) readBlocks(dtype, bytes, values);
  else if (dtype === 'f32') values.forEach((_, i) => (values[i] = view.getFloat32(4 * i, true)));
  else if (dtype === 'f16') {
    values.forEach((_, i) => (values[i] = halfToFloat(view.getUint16(2 * i, true))));
  } else if (dtype === 'bf16') {
    values.forEach((_, i) => {
      float32Bits[0] = view.getUint16(2 * i, true) << 16;
      values[i] = float32[0];
    });
  } else throw new Error(`${dtype} is no type of weights`);
  return values;
}

/**
 * Writes a folder like `source`, with the weights that the uncompressed APR2 file `path` stores, as f32. `tensors`: as
 * inspect() lists them.
 * @type {(path: string, tensors: readonly InspectedTensor[], source: string, folder: string) => void}
 */
export function writeStoredValues(path, tensors, source, folder) {
  mkdirSync(folder, { recursive: true });
  cpSync(source, folder, {
    recursive: true,
    filter: (from) => basename(from) !== 'model.safetensors',
  });
  const header = {};
  let offset = 0;
  const counts = tensors.map(({ shape }) => shape.reduce((product, side) => product * side, 1));
  tensors.forEach(({ name, shape }, i) => {
    const end = offset + 4 * counts[i];
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, end] };
    offset = end;
  });
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const input = openSync(path, 'r');
  const output = openSync(join(folder, 'model.safetensors'), 'w');
  writeSync(output, length);
  writeSync(output, text);
  tensors.forEach(({ dtype, offset, size }, i) => {
    const bytes = Buffer.alloc(size);
    readSync(input, bytes, 0, size, offset);
    const values = storedValues(dtype, bytes, counts[i]);
    writeSync(output, new Uint8Array(values.buffer));
  });
  closeSync(input);
  closeSync(output);
}
