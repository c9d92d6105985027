// Readers written from the five specifications alone, independently of the core: what another program would find in a file.

class Cursor {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = at;
  }
  #next(size: number): number {
    this.at += size;
    return this.at - size;
  }
  u8 = (): number => this.#view.getUint8(this.#next(1));
  u16 = (): number => this.#view.getUint16(this.#next(2), true);
  u32 = (): number => this.#view.getUint32(this.#next(4), true);
  i32 = (): number => this.#view.getInt32(this.#next(4), true);
  f32 = (): number => this.#view.getFloat32(this.#next(4), true);
  i64 = (): bigint => this.#view.getBigInt64(this.#next(8), true);
  u64 = (): number => Number(this.#view.getBigUint64(this.#next(8), true));
  bytes(size: number): Uint8Array {
    const begin = this.#next(size);
    if (this.at > this.#bytes.length) throw new Error(`the file ends before byte ${this.at}`);
    return this.#bytes.slice(begin, this.at);
  }
  text = (size: number): string => new TextDecoder().decode(this.bytes(size));
  list<T>(count: number, item: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, i) => item(i));
  }
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function expectEqual(got: unknown, wanted: unknown, what: string): void {
  if (got !== wanted) throw new Error(`${what}: ${String(got)} instead of ${String(wanted)}`);
}

export interface ReadTensor {
  readonly name: string;
  readonly dtype: number;
  readonly shape: readonly number[];
  readonly offset: number;
  /** As they are stored. */
  readonly bytes: Uint8Array;
  readonly rawSize: number;
  readonly scale?: number;
}

/** APR-FORMAT-002. */
export function readApr2(file: Uint8Array) {
  const header = new Cursor(file);
  expectEqual(header.text(4), 'APR2', 'magic');
  const version = header.list(2, header.u16);
  const [flags = 0, metadataAt = 0, metadataSize = 0, indexAt = 0, indexSize = 0, dataAt = 0] =
    header.list(6, header.u32);
  const metadata = JSON.parse(new Cursor(file, metadataAt).text(metadataSize)) as Record<
    string,
    unknown
  >;
  const index = new Cursor(file, indexAt);
  const count = index.u32();
  index.u32();
  const tensors = index.list(count, (): ReadTensor => {
    const name = index.text(index.u16());
    const dtype = index.u8();
    const shape = index.list(index.u8(), index.u64);
    const offset = dataAt + index.u64();
    const size = index.u64();
    const rawSize = index.u64();
    index.u32();
    return { name, dtype, shape, offset, bytes: file.slice(offset, offset + size), rawSize };
  });
  expectEqual(index.at, indexAt + indexSize, 'end of the index');
  const footer = new Cursor(file, file.length - 16);
  expectEqual(footer.u32(), crc32(file.subarray(0, file.length - 16)), 'crc32');
  expectEqual(footer.text(4), '2RPA', 'footer magic');
  expectEqual(footer.u64(), file.length, 'file size');
  return { version, flags, metadata, tensors };
}

/** APR1 ("the .apr model format"), with the tensor index and the vocabulary of its public writers. */
export function readApr1(file: Uint8Array) {
  const at = new Cursor(file);
  expectEqual(at.text(4), 'APR1', 'magic');
  expectEqual(at.u16(), 1, 'version');
  const [modelType = 0, quantization = 0, compressed = 0] = at.list(3, at.u8);
  const tensorCount = at.u16();
  const flags = at.u8();
  const dims = at.list(10, at.u32);
  const entries = at.list(tensorCount, () => {
    const name = at.text(48).replace(/\0.*$/s, '');
    const offset = at.u64();
    const size = at.u64();
    at.u64();
    const sizes = at.list(4, at.u32);
    const rank = at.u8();
    at.bytes(7);
    return { name, offset, size, shape: sizes.slice(0, rank) };
  });
  const scales = quantization === 2 ? at.list(tensorCount, at.f32) : [];
  const dataAt = at.at;
  const tensors = entries.map(({ name, offset, size, shape }, i) => ({
    name,
    shape,
    bytes: file.slice(dataAt + offset, dataAt + offset + size),
    scale: scales[i],
  }));
  at.at = dataAt + entries.reduce((sum, { size }) => sum + size, 0);
  let vocabulary: Uint8Array[] = [];
  if (flags & 1) {
    const end = at.u32() + at.at;
    const tokenCount = at.u32();
    at.u32();
    vocabulary = at.list(tokenCount, () => at.bytes(at.u16()));
    expectEqual(at.at, end, 'end of the vocabulary');
  }
  let filterbank: Float32Array | undefined;
  if (flags & 2) {
    const end = at.u32() + at.at;
    const size = at.u32() * at.u32();
    filterbank = Float32Array.from(at.list(size, at.f32));
    expectEqual(at.at, end, 'end of the filterbank');
  }
  expectEqual(at.u32(), crc32(file.subarray(0, file.length - 4)), 'crc32');
  expectEqual(at.at, file.length, 'end of the file');
  return { modelType, quantization, compressed, dims, tensors, vocabulary, filterbank };
}

/** ".april file format". */
export function readApril(file: Uint8Array) {
  const at = new Cursor(file);
  expectEqual(at.text(8), 'APRILMDL', 'magic');
  expectEqual(at.u32(), 1, 'version');
  const headerSize = at.u64();
  const language = at.text(8).replace(/\0+$/, '');
  const name = at.text(at.u64());
  const description = at.text(at.u64());
  expectEqual(at.u32(), 1, 'model');
  const entry = () => ({ offset: at.u64(), size: at.u64() });
  const paramsEntry = entry();
  const networkEntries = at.list(at.u64(), entry);
  expectEqual(at.at, 20 + headerSize, 'end of the header');
  const params = new Cursor(file, paramsEntry.offset);
  expectEqual(params.text(8), 'PARAMS\0\0', 'params');
  const numbers = params.list(13, params.i32);
  const tokens = params.list(numbers[11] ?? 0, () => params.bytes(params.i32()));
  expectEqual(params.at, paramsEntry.offset + paramsEntry.size, 'end of the params');
  const networks = networkEntries.map(({ offset, size }) => file.slice(offset, offset + size));
  return { language, name, description, numbers, tokens, networks };
}

export interface ReadArray {
  readonly dtype: string;
  readonly length: number;
  readonly bytes: Uint8Array;
}

const bw2lBytes: Readonly<Record<string, number>> = {
  fp64: 8,
  fp32: 4,
  fp16: 2,
  i64: 8,
  i32: 4,
  i16: 2,
  i8: 1,
};

/** "binary wav2letter model file format". */
export function readBw2l(file: Uint8Array) {
  const at = new Cursor(file);
  expectEqual(at.text(4), 'BW2L', 'magic');
  expectEqual(at.u8(), 1, 'version');
  const shortString = (): string => at.text(at.u8());
  const longString = (): string => at.text(at.u64());
  const array = (): ReadArray => {
    const dtype = shortString();
    const length = at.u64();
    return { dtype, length, bytes: at.bytes(length * (bw2lBytes[dtype] ?? NaN)) };
  };
  const name = shortString();
  const sections = at.list(at.u64(), () => {
    const head = { name: shortString(), type: shortString(), description: longString() };
    const size = at.u64();
    const end = at.at + size;
    const entries: [string, string][] = [];
    switch (head.type) {
      case 'keyval':
        while (at.at < end) entries.push([shortString(), longString()]);
        expectEqual(at.at, end, head.name);
        return { ...head, entries };
      case 'array':
        return { ...head, array: array() };
      case 'layers': {
        const layers = at.list(at.u64(), () => {
          const layer = { arch: longString(), scale: at.f32(), offset: at.i64() };
          return { ...layer, arrays: at.list(at.u64(), array) };
        });
        expectEqual(at.at, end, head.name);
        return { ...head, layers };
      }
      default:
        return { ...head, bytes: at.bytes(size) };
    }
  });
  expectEqual(at.at, file.length, 'end of the file');
  return { name, sections };
}

/** Section 3.3 of "模块文件描述", under the names that the package gives them: name and bytes of an element by number. */
const tennisTypes: readonly (readonly [string, number])[] = [
  ...([
    ['void', 0],
    ['i8', 1],
    ['u8', 1],
    ['i16', 2],
    ['u16', 2],
    ['i32', 4],
  ] as const),
  ...([
    ['u32', 4],
    ['i64', 8],
    ['u64', 8],
    ['f16', 2],
    ['f32', 4],
    ['f64', 8],
  ] as const),
  ...([
    ['', 0],
    ['char8', 1],
    ['char16', 2],
    ['char32', 4],
  ] as const),
];

export function readTennis(file: Uint8Array) {
  const at = new Cursor(file);
  const reservedWord = at.u32();
  expectEqual(at.u32(), 0x19910929, 'code');
  const userBytes = at.bytes(120);
  const ints = (): number[] => at.list(at.i32(), at.i32);
  const inputs = ints();
  const outputs = ints();
  const nodes = at.list(at.i32(), () => {
    const parameters = at.list(at.i32(), () => {
      const name = at.text(at.i32());
      const fields = at.list(at.i32(), () => {
        const [dtype, size] = tennisTypes[at.u8()] ?? ['', 0];
        const shape = ints();
        return { dtype, shape, data: at.bytes(shape.reduce((a, b) => a * b, 1) * size) };
      });
      return { name, fields };
    });
    return { parameters, inputs: ints() };
  });
  expectEqual(at.at, file.length, 'end of the file');
  return { reservedWord, userBytes, inputs, outputs, nodes };
}
