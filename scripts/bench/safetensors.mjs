// Weights of a hub folder, one tensor at a time.
import { closeSync, openSync, readSync } from 'node:fs';

function readAt(file, position, length) {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) {
    const count = readSync(file, bytes, at, length - at, position + at);
    if (count === 0) throw new Error('The file of weights ends too soon.');
    at += count;
  }
  return bytes;
}

/** Opens a .safetensors file of f32 tensors: { names, tensor(name) → {shape, values}, close() }. */
export function openSafetensors(path) {
  const file = openSync(path, 'r');
  const length = Number(readAt(file, 0, 8).readBigUInt64LE());
  const header = JSON.parse(readAt(file, 8, length).toString());
  delete header.__metadata__;
  return {
    names: Object.keys(header),
    tensor(name) {
      const { dtype, shape, data_offsets: ends } = header[name] ?? {};
      if (dtype !== 'F32') throw new Error(`There is no f32 tensor ${name}.`);
      const bytes = readAt(file, 8 + length + ends[0], ends[1] - ends[0]);
      return { shape, values: new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4) };
    },
    close: () => closeSync(file),
  };
}
