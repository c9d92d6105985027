import { inspect } from '../node.js';
import type { InspectedShard, InspectedTensor, Inspection } from '../node.js';
import { parse, usageError } from './arguments.js';
import { graphLines } from './graph_table.js';
import { readSealOptions, sealArguments } from './key_files.js';
import { layerLines, networkLines, sectionLines } from './parts_tables.js';
import { ProgressBar } from './progress_bar.js';
import { printable, table } from './table.js';

export async function inspectCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, { ...sealArguments, json: { type: 'boolean' } });
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw usageError('inspect wants one FILE');
  const keys = await readSealOptions(values);
  const bar = new ProgressBar('reading');
  const facts = await inspect(file, { ...keys, signal, onProgress: bar.update }).finally(() =>
    bar.clear(),
  );
  process.stdout.write(values.json ? `${JSON.stringify(toJson(facts), null, 2)}\n` : toText(facts));
}

function toJson({ byteCount, tensors, ...facts }: Inspection) {
  return {
    ...facts,
    byte_count: byteCount,
    tensors: tensors.map(({ rawSize, ...tensor }) => ({ ...tensor, raw_size: rawSize })),
  };
}

function toText(facts: Inspection): string {
  const lines = [
    `format    ${facts.format} ${facts.version}`,
    `flags     ${facts.flags.join(' ') || 'none'}`,
    `bytes     ${facts.byteCount}`,
    ...(facts.signer === undefined ? [] : [`signed by ${facts.signer}`]),
    ...(facts.shards ?? []).map((shard) => `shard     ${shardLine(shard, facts)}`),
    ...facts.warnings.map((warning) => `warning   ${warning}`),
    '',
    'metadata',
    ...JSON.stringify(summary(facts.metadata), null, 2).split('\n').slice(1, -1),
    '',
    ...(facts.graph ? graphLines(facts.graph) : []),
    ...networkLines(facts.networks),
    ...sectionLines(facts.sections),
    ...layerLines(facts.layers),
    `${facts.tensors.length} tensors (${tensorTotals(facts.tensors)})`,
    ...tensorTable(facts.tensors),
  ];
  return `${lines.join('\n')}\n`;
}

/** A shard's file, its tensors, its flags. */
function shardLine({ file, flags }: InspectedShard, { shards, tensors }: Inspection): string {
  const held = tensors.filter(({ shard }) => shard !== undefined && shards?.[shard]?.file === file);
  return `${file}: ${held.length} tensors (${tensorTotals(held)}), ${flags.join(' ')}`;
}

/** Long lists arrive as {length}. */
function summary(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.every((item) => typeof item !== 'object' || Array.isArray(item))
      ? JSON.stringify(value)
      : value.map(summary);
  }
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0]?.[0] === 'length') return `${entries[0][1]} values`;
  return Object.fromEntries(entries.map(([key, item]) => [key, summary(item)]));
}

function tensorTotals(tensors: readonly InspectedTensor[]): string {
  const total = (field: 'size' | 'rawSize'): number =>
    tensors.reduce((sum, tensor) => sum + tensor[field], 0);
  return `${total('size')} bytes stored, ${total('rawSize')} in memory`;
}

function tensorTable(tensors: readonly InspectedTensor[]): string[] {
  const hasScales = tensors.some(({ scale }) => scale !== undefined);
  const isSharded = tensors.some(({ shard }) => shard !== undefined);
  const more = [...(hasScales ? ['scale'] : []), ...(isSharded ? ['shard'] : [])];
  const rows = [
    ['name', 'dtype', 'shape', 'offset', 'size', 'raw size', ...more],
    ...tensors.map(({ name, dtype, shape, offset, size, rawSize, scale, shard }) => [
      printable(name),
      dtype,
      shape.join('×'),
      ...[offset, size, rawSize].map(String),
      ...(hasScales ? [String(scale)] : []),
      ...(shard === undefined ? [] : [String(shard + 1)]),
    ]),
  ];
  return table(rows, 3);
}
