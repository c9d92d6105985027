// CRC-32 as zlib has it, eight bytes at a time.

const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
for (let byte = 0; byte < 256; ++byte) {
  let value = byte;
  for (let bit = 0; bit < 8; ++bit) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  tables[0]![byte] = value;
}
for (let table = 1; table < 8; ++table) {
  for (let byte = 0; byte < 256; ++byte) {
    const value = tables[table - 1]![byte]!;
    tables[table]![byte] = (value >>> 8) ^ tables[0]![value & 0xff]!;
  }
}
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
  ...[Uint32Array, Uint32Array, Uint32Array, Uint32Array],
  ...[Uint32Array, Uint32Array, Uint32Array, Uint32Array],
];

export class RunningCrc32 {
  #crc = -1;

  update(bytes: Uint8Array): void {
    let crc = this.#crc;
    const whole = bytes.length - (bytes.length % 8);
    let at = 0;
    for (; at < whole; at += 8) {
      crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
      crc =
        t7[crc & 0xff]! ^
        t6[(crc >>> 8) & 0xff]! ^
        t5[(crc >>> 16) & 0xff]! ^
        t4[crc >>> 24]! ^
        t3[bytes[at + 4]!]! ^
        t2[bytes[at + 5]!]! ^
        t1[bytes[at + 6]!]! ^
        t0[bytes[at + 7]!]!;
    }
    for (; at < bytes.length; ++at) crc = t0[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
    this.#crc = crc;
  }

  /** Of everything so far. */
  get value(): number {
    return (this.#crc ^ -1) >>> 0;
  }

  /** The four bytes, as a little-endian number, that would make `value` this one. */
  bytesTo(value: number): number {
    let crc = ~value;
    for (let byte = 0; byte < 4; ++byte) {
      const index = t0.findIndex((entry) => entry >>> 24 === crc >>> 24);
      crc = ((crc ^ t0[index]!) << 8) | index;
    }
    return (crc ^ this.#crc) >>> 0;
  }
}
