// An APR2 index, entry by entry. Numbers that JavaScript cannot hold are as good as none: no file is that long.

/** Bytes of a block, and the values in it, by dtype. */
const dtypeSizes: Readonly<Record<number, readonly [bytes: number, values: number]>> = {
  0: [4, 1],
  1: [2, 1],
  2: [2, 1],
  3: [1, 1],
  4: [2, 1],
  5: [4, 1],
  6: [8, 1],
  7: [1, 1],
  16: [34, 32],
  17: [18, 32],
  18: [20, 32],
  19: [22, 32],
  20: [24, 32],
};

const indexHeaderBytes = 8;

export interface IndexEntry {
  /** Where it begins in the index, and where its offset, size and raw size stand there. */
  readonly at: number;
  readonly offsetAt: number;
  readonly sizeAt: number;
  readonly nameBytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
  /** dtype, number of dimensions and dimensions as they are stored. */
  readonly typeBytes: Uint8Array<ArrayBuffer>;
  /** Of all values, uncompressed; undefined for a dtype or shape that the core refuses. */
  readonly valueBytes: number | undefined;
  /** From the data's beginning. */
  readonly offset: number;
  readonly size: number;
  readonly rawSize: number;
}

export interface Apr2Index {
  readonly entries: readonly IndexEntry[];
  /** Where the first entry begins that makes no sense; undefined in a sound index. */
  readonly brokenAt: number | undefined;
}

export function readApr2Index(bytes: Uint8Array<ArrayBuffer>): Apr2Index {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  const entries: IndexEntry[] = [];
  let at = indexHeaderBytes;
  while (entries.length < count) {
    const entry = readEntry(bytes, view, at);
    if (!entry) return { entries, brokenAt: at };
    entries.push(entry);
    at = entry.sizeAt + 20;
  }
  return { entries, brokenAt: at === bytes.length ? undefined : at };
}

function readEntry(
  bytes: Uint8Array<ArrayBuffer>,
  view: DataView,
  at: number,
): IndexEntry | undefined {
  if (at + 2 > bytes.length) return undefined;
  const typeAt = at + 2 + view.getUint16(at, true);
  if (typeAt + 2 > bytes.length) return undefined;
  const dimCount = view.getUint8(typeAt + 1);
  const offsetAt = typeAt + 2 + 8 * dimCount;
  const end = offsetAt + 28;
  if (end > bytes.length) return undefined;
  const nameBytes = bytes.subarray(at + 2, typeAt);
  const number = (position: number): number => Number(view.getBigUint64(position, true));
  const entry = {
    at,
    offsetAt,
    sizeAt: offsetAt + 8,
    nameBytes,
    name: new TextDecoder().decode(nameBytes),
    typeBytes: bytes.subarray(typeAt, offsetAt),
    valueBytes: valueBytes(
      view.getUint8(typeAt),
      Array.from({ length: dimCount }, (_, i) => view.getBigUint64(typeAt + 2 + 8 * i, true)),
    ),
    offset: number(offsetAt),
    size: number(offsetAt + 8),
    rawSize: number(offsetAt + 16),
  };
  return Number.isSafeInteger(entry.offset + entry.size) && Number.isSafeInteger(entry.rawSize)
    ? entry
    : undefined;
}

function valueBytes(dtype: number, dims: readonly bigint[]): number | undefined {
  const [bytes, values] = dtypeSizes[dtype] ?? [];
  const last = dims.at(-1);
  if (bytes === undefined || last === undefined || last % BigInt(values ?? 1) !== 0n) {
    return undefined;
  }
  const count = dims.reduce((product, dim) => product * dim, 1n);
  const total = Number((count / BigInt(values ?? 1)) * BigInt(bytes));
  return Number.isSafeInteger(total) ? total : undefined;
}
