/** Parts of a file, one behind the other: texts as UTF-8, numbers as little-endian fields of the size that is named. */
export type Part = string | Uint8Array | readonly Part[];

export const u8 = (value: number): Uint8Array => Uint8Array.of(value);
export const u32 = (value: number): Uint8Array =>
  field(4, (view) => view.setUint32(0, value, true));
export const i32 = (value: number): Uint8Array => field(4, (view) => view.setInt32(0, value, true));
export const f32 = (value: number): Uint8Array =>
  field(4, (view) => view.setFloat32(0, value, true));
export const u64 = (value: number): Uint8Array =>
  field(8, (view) => view.setBigUint64(0, BigInt(value), true));
export const i64 = (value: number): Uint8Array =>
  field(8, (view) => view.setBigInt64(0, BigInt(value), true));

function field(size: number, set: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(size);
  set(new DataView(bytes.buffer));
  return bytes;
}

export function joined(...parts: readonly Part[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...bytesOf(part)]));
}

function bytesOf(part: Part): Uint8Array {
  if (typeof part === 'string') return new TextEncoder().encode(part);
  return part instanceof Uint8Array ? part : joined(...part);
}
