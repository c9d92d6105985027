// Where a converter's output goes: one file, or shards and behind them their manifest.
import { invalidOption } from '../../src/api/errors.js';
import { wholeBetween, type Check } from '../../src/api/options.js';
import { mostShardBytes, type CreateFile, type Write } from '../../src/platform/output.js';

export const shardSizeCheck = wholeBetween(1, mostShardBytes);
export const alignmentCheck: Check = ['64 or 32', (value) => value === 64 || value === 32];

/** A stream is one file. */
export function noShards({ shardSize }: { readonly shardSize?: number }): void {
  if (shardSize !== undefined) {
    throw invalidOption('shardSize', 'left out: a stream is one file', shardSize);
  }
}

/** A file as the core plans it. */
export interface PlannedFile {
  readonly byteCount: number;
  /** Checksum of the whole file and the one in its footer, both known once the file is complete. */
  readonly crc32: number;
  readonly footerCrc32: number;
  readonly tensors: readonly string[];
}

/** The names of all files of a model, the manifest's or only one last. */
export function fileNames(manifest: string, shardCount: number): string[] {
  const base = manifest.replace(/\.apr$/i, '');
  const digits = (number: number): string => String(number).padStart(5, '0');
  return [
    ...Array.from(
      { length: shardCount },
      (_, i) => `${base}-${digits(i + 1)}-of-${digits(shardCount)}.apr`,
    ),
    manifest,
  ];
}

export class ModelFiles {
  readonly #create: CreateFile;
  readonly #names: readonly string[];
  /** The first tensor behind each file, where there are several. */
  readonly #ends: readonly number[];
  #current = -1;
  #write: Write | undefined;
  #byteCount = 0;

  /** `manifest`: the name of the manifest of shards; without it there is one file. */
  constructor(create: CreateFile, planned: readonly PlannedFile[], manifest: string | undefined) {
    this.#create = create;
    this.#names = manifest === undefined ? [] : fileNames(manifest, planned.length);
    let end = 0;
    this.#ends =
      this.#names.length === 0 ? [] : planned.map(({ tensors }) => (end += tensors.length));
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  /** What is written from now on is about this tensor. */
  async begin(tensor: number): Promise<void> {
    while (this.#current < 0 || tensor >= (this.#ends[this.#current] ?? Infinity)) {
      this.#current += 1;
      this.#write = await this.#create(this.#names[this.#current]);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#write) await this.begin(0);
    this.#byteCount += bytes.length;
    await this.#write?.(bytes);
  }

  /** Behind the last byte: writes the manifest, if there is one. */
  async finish(files: readonly PlannedFile[]): Promise<readonly string[]> {
    if (this.#names.length === 0) return [];
    this.#write = await this.#create();
    await this.write(new TextEncoder().encode(manifestText(files, this.#names)));
    return this.#names;
  }
}

/** APR2's manifest, which is JSON text. */
function manifestText(files: readonly PlannedFile[], names: readonly string[]): string {
  const digits = (crc: number): string => crc.toString(16).padStart(8, '0');
  const shards = files.map(({ byteCount, crc32, footerCrc32 }, shard) => ({
    file: names[shard],
    size: byteCount,
    crc32: digits(crc32),
    footer_crc32: digits(footerCrc32),
  }));
  const map = files.flatMap(({ tensors }, shard) => tensors.map((name) => [name, shard] as const));
  const manifest = {
    apr_version: '2.0.0',
    sharded: true,
    shard_count: files.length,
    shards,
    tensor_shard_map: Object.fromEntries(map),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
