// The beginning of a NumPy file (.npy, version 1.0).

/** Types of ours that NumPy has, in its words. */
const descriptions: Readonly<Record<string, string>> = {
  f16: '<f2',
  f32: '<f4',
  f64: '<f8',
  fp16: '<f2',
  fp32: '<f4',
  fp64: '<f8',
  bool: '|b1',
  i8: '|i1',
  i16: '<i2',
  i32: '<i4',
  i64: '<i8',
  u8: '|u1',
  u16: '<u2',
  u32: '<u4',
  u64: '<u8',
};

export const isNumpyType = (dtype: string): boolean => Object.hasOwn(descriptions, dtype);

/** The data begin at a multiple of this. */
const alignment = 64;
const fixedBytes = 10;

/** In front of values in C order. */
export function npyHeader(dtype: string, shape: readonly number[]): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descriptions[dtype]}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const byteCount = Math.ceil((fixedBytes + text.length + 1) / alignment) * alignment;
  const padded = `${text.padEnd(byteCount - fixedBytes - 1)}\n`;
  const header = new Uint8Array(byteCount);
  header.set([0x93, ...new TextEncoder().encode('NUMPY'), 1, 0]);
  new DataView(header.buffer).setUint16(8, padded.length, true);
  header.set(new TextEncoder().encode(padded), fixedBytes);
  return header;
}
