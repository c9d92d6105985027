// Models in shards, written from the format's description and not by the package. Every part can be set wrong.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, flagBits, writeApr2, type WrittenFile, type WrittenTensor } from './apr2_writer.js';
import { tinyWhisper, type tinyMetadata } from './tiny_whisper.js';

export interface ManifestShard {
  file: unknown;
  size: unknown;
  crc32: unknown;
  footer_crc32?: unknown;
}

/** Its JSON; whatever a test wants to be wrong is assigned before it is written. */
export interface Manifest {
  apr_version: unknown;
  sharded: unknown;
  shard_count: unknown;
  shards: ManifestShard[];
  tensor_shard_map: Record<string, unknown>;
}

export interface ShardedModel {
  readonly name: string;
  readonly shards: WrittenFile[];
  /** By name. */
  readonly files: Map<string, Uint8Array>;
  manifest: Manifest;
}

export const shardName = (name: string, shard: number, count: number): string =>
  `${name}-${String(shard + 1).padStart(5, '0')}-of-${String(count).padStart(5, '0')}.apr`;

const digits = (crc: number): string => crc.toString(16).padStart(8, '0');

const nameOf = ({ name }: WrittenTensor): string =>
  typeof name === 'string' ? name : new TextDecoder().decode(name);

/** The tiny Whisper in so many shards; vocabulary and the rest stand in the first one. */
export function tinyShards(
  count = 3,
  { name = 'model', whole = tinyWhisper() }: { name?: string; whole?: WrittenFile } = {},
): ShardedModel {
  const { apr_version, model_type, architecture } = whole.metadata as typeof tinyMetadata;
  const each = Math.ceil(whole.tensors.length / count);
  const shards = Array.from({ length: count }, (_, shard): WrittenFile => ({
    ...whole,
    flags: (whole.flags ?? flagBits.aligned64) | flagBits.sharded,
    metadata: shard === 0 ? whole.metadata : { apr_version, model_type, architecture },
    tensors: whole.tensors.slice(shard * each, (shard + 1) * each),
  }));
  return rebuilt({ name, shards, files: new Map(), manifest: undefined as unknown as Manifest });
}

/** Files and manifest as they follow from the shards; `write` makes the file of a shard. */
export function rebuilt(
  model: ShardedModel,
  write: (shard: WrittenFile, index: number) => Uint8Array = writeApr2,
): ShardedModel {
  const { name, shards } = model;
  const written = shards.map(
    (shard, i) => [shardName(name, i, shards.length), write(shard, i)] as const,
  );
  return {
    ...model,
    files: new Map(written),
    manifest: {
      apr_version: '2.0.0',
      sharded: true,
      shard_count: shards.length,
      shards: written.map(([file, bytes]) => ({
        file,
        size: bytes.length,
        crc32: digits(crc32(bytes)),
        footer_crc32: digits(new DataView(bytes.buffer).getUint32(bytes.length - 16, true)),
      })),
      tensor_shard_map: Object.fromEntries(
        shards.flatMap(({ tensors }, i) => tensors.map((tensor) => [nameOf(tensor), i])),
      ),
    },
  };
}

export const manifestBytes = ({ manifest }: ShardedModel): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(manifest));

/** As the files of a page: the manifest is one of them. */
export function asFiles(model: ShardedModel): File[] {
  const file = (name: string, bytes: Uint8Array): File => new File([bytes.slice()], name);
  return [
    ...[...model.files].map(([name, bytes]) => file(name, bytes)),
    file(`${model.name}.apr`, manifestBytes(model)),
  ];
}

/** Writes everything to a new folder in `parent`; returns the manifest's path. */
export function writeShards(parent: string, model: ShardedModel): string {
  const folder = mkdtempSync(join(parent, 'shards-'));
  for (const [name, bytes] of model.files) writeFileSync(join(folder, name), bytes);
  const path = join(folder, `${model.name}.apr`);
  writeFileSync(path, manifestBytes(model));
  return path;
}
