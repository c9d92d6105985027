// The manifest of shards that were encrypted or signed.
import type { Inspection } from '../../src/api/types.js';
import type { WrittenFile } from './transform_apr2.js';

export interface WrittenShard extends WrittenFile {
  readonly file: string;
}

/** File name of a shard; for the manifest model.apr: model-00001-of-00003.apr. */
export function shardName(manifest: string | URL, shard: number, count: number): string {
  const path = manifest instanceof URL ? decodeURIComponent(manifest.pathname) : manifest;
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const digits = (number: number): string => String(number).padStart(5, '0');
  return `${name.replace(/\.apr$/, '')}-${digits(shard + 1)}-of-${digits(count)}.apr`;
}

export function manifestText(
  shards: readonly WrittenShard[],
  tensors: Inspection['tensors'],
): string {
  const hex = (crc: number): string => crc.toString(16).padStart(8, '0');
  const manifest = {
    apr_version: '2.0.0',
    sharded: true,
    shard_count: shards.length,
    shards: shards.map(({ file, byteCount, crc32, footerCrc32 }) => ({
      file,
      size: byteCount,
      crc32: hex(crc32),
      footer_crc32: hex(footerCrc32),
    })),
    // Without a prototype, so that a tensor may have any name.
    tensor_shard_map: Object.assign(
      Object.create(null),
      Object.fromEntries(tensors.map(({ name, shard }) => [name, shard])),
    ) as object,
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
