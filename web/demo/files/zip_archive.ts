// Several files as one download: a zip archive whose files are stored as they are.

export interface ArchivedFile {
  readonly name: string;
  readonly content: string;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >>> 1) ^ 0xed_b8_83_20 : crc >>> 1;
  return crc;
});

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Two files may have the same name: the second is called "a (2).txt". */
export function zipArchive(files: readonly ArchivedFile[], modified = new Date()): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  const taken = new Set<string>();
  let at = 0;
  for (const { name, content } of files) {
    const path = new TextEncoder().encode(freeName(name, taken));
    const data = new TextEncoder().encode(content);
    const facts = factsOf(path, data, modified);
    // The header before the file and the directory at the end hold the same fields.
    const local = Uint8Array.of(0x50, 0x4b, 3, 4, ...facts);
    const entry = Uint8Array.of(
      0x50,
      0x4b,
      1,
      2,
      20,
      0,
      ...facts,
      ...new Uint8Array(10),
      ...u32(at),
    );
    parts.push(local, path, data);
    directory.push(entry, path);
    at += local.length + path.length + data.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = u16(files.length);
  const end = Uint8Array.of(
    0x50,
    0x4b,
    5,
    6,
    0,
    0,
    0,
    0,
    ...count,
    ...count,
    ...u32(size),
    ...u32(at),
    0,
    0,
  );
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

/** Version, UTF-8 names, no compression, time, date, checksum, sizes, length of the name, no extra field. */
function factsOf(path: Uint8Array, data: Uint8Array, modified: Date): readonly number[] {
  const time =
    (modified.getHours() << 11) | (modified.getMinutes() << 5) | (modified.getSeconds() >> 1);
  const date =
    ((modified.getFullYear() - 1980) << 9) | ((modified.getMonth() + 1) << 5) | modified.getDate();
  const size = u32(data.length);
  return [
    ...u16(20),
    ...u16(0x0800),
    ...u16(0),
    ...u16(time),
    ...u16(date),
    ...u32(crcOf(data)),
    ...size,
    ...size,
    ...u16(path.length),
    ...u16(0),
  ];
}

function freeName(name: string, taken: Set<string>): string {
  const [, stem = name, ending = ''] = /^(.*?)((?:\.verbose)?\.[^.]*)?$/s.exec(name) ?? [];
  let free = name;
  for (let i = 2; taken.has(free.toLowerCase()); ++i) free = `${stem} (${i})${ending}`;
  taken.add(free.toLowerCase());
  return free;
}

const u16 = (value: number): readonly number[] => [value & 0xff, (value >> 8) & 0xff];
const u32 = (value: number): readonly number[] => [...u16(value & 0xffff), ...u16(value >>> 16)];
