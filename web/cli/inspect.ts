import { inspect } from '../src/node_files.js';
import type { Dimensions } from '../src/node.js';
import type {
  InspectedFilterbank,
  InspectedGraph,
  InspectedMemory,
  InspectedShard,
  InspectedStatistics,
  InspectedTensor,
  Inspection,
} from '../src/node_files.js';
import type { ModuleDescription } from '../src/node_graph.js';
import { parse, usageError } from './arguments.js';
import { describeRun, parseShape, type DescribedRun } from './described_run.js';
import { graphLines, runLines } from './graph_table.js';
import { readCryptoOptions, cryptoArguments } from './key_files.js';
import { languageCount } from './language_name.js';
import { layerLines, networkLines, sectionLines } from './parts_tables.js';
import { metadataLines } from './metadata_lines.js';
import { ProgressBar } from './progress_bar.js';
import { table } from './table.js';
import { FileReports, forEachFile } from './several_files.js';
import { printable } from './terminal.js';

export const inspectArguments = {
  ...cryptoArguments,
  json: { type: 'boolean' },
  stats: { type: 'boolean' },
  full: { type: 'boolean' },
  shape: { type: 'string', multiple: true },
} as const;

export async function inspectCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals: files } = parse(args, inspectArguments);
  if (files.length === 0) throw usageError('inspect needs at least one FILE');
  const shapes = (values.shape ?? []).map(parseShape);
  const keys = await readCryptoOptions(values);
  const output = new FileReports(files, values.json ?? false);
  await forEachFile(files, signal, async (file) => {
    const bar = new ProgressBar('reading');
    const facts = await inspect(file, {
      ...keys,
      signal,
      stats: values.stats ?? false,
      full: values.full ?? false,
      onProgress: bar.update,
    }).finally(() => bar.clear());
    if (shapes.length > 0 && !facts.graph) throw usageError(`--shape is for TenniS modules`);
    const described = facts.graph ? await describeRun(file, facts.graph, shapes, signal) : {};
    output.add(file, toJson(facts, described), toText(facts, described, values.full ?? false));
  }).finally(() => output.finish());
}

function toJson(inspection: Inspection, { run }: DescribedRun) {
  const { byteCount, dims, tensors, graph, melFilterbank, ...facts } = inspection;
  const languages = languageCount(inspection);
  return {
    ...facts,
    ...(graph && { graph: graphJson(graph, run) }),
    byte_count: byteCount,
    ...(dims && { dims: dimensions(dims) }),
    ...(languages !== undefined && { language_count: languages }),
    ...(melFilterbank && { mel_filterbank: filterbankJson(melFilterbank) }),
    tensors: tensors.map(({ rawSize, rowScales, ...tensor }) => ({
      ...tensor,
      raw_size: rawSize,
      ...(rowScales && { row_scales: rowScales }),
    })),
  };
}

/** With what a run does, where that is known. */
function graphJson(graph: InspectedGraph, run: ModuleDescription | undefined) {
  if (!run) return graph;
  return {
    ...graph,
    nodes: graph.nodes.map((node, i) => {
      const { outputs = [], weights = 0, cost = 0 } = run.nodes[i] ?? {};
      return { ...node, outputs, weights, cost };
    }),
    run: {
      input_shapes: run.inputShapes,
      cost: run.cost,
      run_bytes: run.runBytes,
      constant_bytes: run.constantBytes,
    },
  };
}

/** Under the names that model files have for them. */
const dimensions = (dims: Dimensions): Record<string, number> =>
  Object.fromEntries(
    Object.entries(dims).map(([name, size]: [string, number]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      size,
    ]),
  );

const filterbankJson = ({ firstRowSum, ...filterbank }: InspectedFilterbank) => ({
  ...filterbank,
  first_row_sum: firstRowSum,
});

const filterbankOwners = { whisper: "Whisper's", htk: "HTK's", other: 'another' } as const;

const filterbankText = ({ shape, kind, firstRowSum }: InspectedFilterbank): string =>
  `${shape.join('×')}, ${filterbankOwners[kind]} (row 0 sum ${Number(firstRowSum.toPrecision(3))})`;

function toText(facts: Inspection, { run, unknown }: DescribedRun, full: boolean): string {
  const languages = languageCount(facts);
  const lines = [
    `format    ${facts.format} ${printable(facts.version)}`.trimEnd(),
    `flags     ${facts.flags.join(' ') || 'none'}`,
    `bytes     ${facts.byteCount}`,
    ...(facts.dims ? [`dims      ${dimensionsText(facts.dims)}`] : []),
    ...(languages === undefined
      ? []
      : [`languages ${languages === 1 ? 'English only' : languages}`]),
    ...(facts.memory ? [`to run    ${memoryText(facts.memory)}`] : []),
    ...(facts.melFilterbank ? [`filterbank ${filterbankText(facts.melFilterbank)}`] : []),
    ...(run && facts.graph ? runLines(run, facts.graph) : []),
    ...(facts.signer === undefined ? [] : [`signed by ${facts.signer}`]),
    ...(facts.shards ?? []).map((shard) => `shard     ${printable(shardLine(shard, facts))}`),
    ...facts.warnings.map((warning) => `warning   ${printable(warning)}`),
    ...(unknown === undefined ? [] : [`shapes    not known: ${printable(unknown)}`]),
    '',
    'metadata',
    ...metadataLines(facts.metadata),
    '',
    ...(facts.graph ? graphLines(facts.graph, run, full) : []),
    ...networkLines(facts.networks),
    ...sectionLines(facts.sections),
    ...layerLines(facts.layers),
    `${facts.tensors.length} tensors (${tensorTotals(facts.tensors)})`,
    ...tensorTable(facts.tensors),
  ];
  return `${lines.join('\n')}\n`;
}

const dimensionsText = (dims: Dimensions): string =>
  Object.entries(dimensions(dims))
    .map(([name, size]) => `${name} ${size}`)
    .join(', ');

const memoryText = ({ weights, state, total }: InspectedMemory): string =>
  `${total} bytes (weights ${weights}, state ${state})`;

/** A shard's file, its tensors, its flags. */
function shardLine({ file, flags }: InspectedShard, { shards, tensors }: Inspection): string {
  const held = tensors.filter(({ shard }) => shard !== undefined && shards?.[shard]?.file === file);
  return `${file}: ${held.length} tensors (${tensorTotals(held)}), ${flags.join(' ')}`;
}

function tensorTotals(tensors: readonly InspectedTensor[]): string {
  const total = (field: 'size' | 'rawSize'): number =>
    tensors.reduce((sum, tensor) => sum + tensor[field], 0);
  return `${total('size')} bytes stored, ${total('rawSize')} in memory`;
}

function tensorTable(tensors: readonly InspectedTensor[]): string[] {
  const hasScales = tensors.some(({ scale }) => scale !== undefined);
  const hasFlags = tensors.some(({ flags }) => flags !== undefined);
  const isSharded = tensors.some(({ shard }) => shard !== undefined);
  const hasStatistics = tensors.some(({ statistics }) => statistics !== undefined);
  const rows = [
    [
      'name',
      'dtype',
      'shape',
      'offset',
      'size',
      'raw size',
      ...(hasScales ? ['scale'] : []),
      ...(hasFlags ? ['flags'] : []),
      ...(isSharded ? ['shard'] : []),
      ...(hasStatistics ? ['min', 'max', 'mean', 'nan', 'infinite'] : []),
    ],
    ...tensors.map((tensor) => [
      printable(tensor.name),
      tensor.dtype,
      tensor.shape.join('×'),
      ...[tensor.offset, tensor.size, tensor.rawSize].map(String),
      ...(hasScales ? [String(tensor.scale ?? '')] : []),
      ...(hasFlags ? [hexadecimal(tensor.flags)] : []),
      ...(isSharded ? [tensor.shard === undefined ? '' : String(tensor.shard + 1)] : []),
      ...(hasStatistics ? statisticsRow(tensor.statistics) : []),
    ]),
  ];
  return table(rows, 3);
}

const hexadecimal = (flags: number | undefined): string =>
  flags === undefined ? '' : `0x${flags.toString(16)}`;

function statisticsRow(statistics: InspectedStatistics | undefined): string[] {
  if (!statistics) return ['', '', '', '', ''];
  const { min, max, mean, nan, infinite } = statistics;
  const short = (value: number | null): string =>
    value === null ? 'none' : String(Number(value.toPrecision(6)));
  return [...[min, max, mean].map(short), String(nan), String(infinite)];
}
