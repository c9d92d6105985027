// SafeTensors and ggml files taken apart by their descriptions alone.

export interface ReadTensor {
  readonly type: string;
  /** SafeTensors: outermost first; ggml: fastest first. */
  readonly shape: readonly number[];
  readonly bytes: Buffer;
}

export function readSafetensors(file: Buffer): Map<string, ReadTensor> {
  const length = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + length)) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const data = file.subarray(8 + length);
  const tensors = Object.entries(header).filter(([name]) => name !== '__metadata__');
  return new Map(
    tensors.map(([name, { dtype: type, shape, data_offsets: range }]) => [
      name,
      { type, shape, bytes: data.subarray(...range) },
    ]),
  );
}

export interface GgmlFile {
  /** The eleven numbers behind the magic. */
  readonly header: readonly number[];
  readonly filterbank: Buffer;
  readonly tokens: readonly Buffer[];
  readonly tensors: Map<string, ReadTensor>;
}

const typeNames = ['f32', 'f16', 'q4_0', 'q4_1', '', '', 'q5_0', 'q5_1', 'q8_0'];
const blockBytes: Readonly<Record<string, readonly [values: number, bytes: number]>> = {
  f32: [1, 4],
  f16: [1, 2],
  q4_0: [32, 18],
  q4_1: [32, 20],
  q5_0: [32, 22],
  q5_1: [32, 24],
  q8_0: [32, 34],
};

export function readGgml(file: Buffer): GgmlFile {
  let at = 0;
  const int = (): number => file.readInt32LE((at += 4) - 4);
  const ints = (count: number): number[] => Array.from({ length: count }, int);
  const bytes = (count: number): Buffer => file.subarray(at, (at += count));
  if (bytes(4).toString() !== 'lmgg') throw new Error('no ggml file');
  const header = ints(11);
  const [mels = 0, bins = 0] = ints(2);
  const filterbank = bytes(4 * mels * bins);
  const tokens = Array.from({ length: int() }, () => bytes(int()));
  const tensors = new Map<string, ReadTensor>();
  while (at < file.length) {
    const [rank = 0, nameLength = 0, number = 0] = ints(3);
    const shape = ints(rank);
    const name = bytes(nameLength).toString();
    const type = typeNames[number] ?? '';
    const [values, size] = blockBytes[type]!;
    const count = shape.reduce((product, side) => product * side, 1);
    tensors.set(name, { type, shape, bytes: bytes((count / values) * size) });
  }
  return { header, filterbank, tokens, tensors };
}
