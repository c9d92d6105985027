// A model's description, read in parts: headers, metadata, index, and of the weights nothing.
import type { Inspection } from '../../src/api/types.js';
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import { readArchitecture } from '../convert/dimensions.js';
import { blockTypes } from '../../src/api/generated/dtypes.js';
import { formatsDescribedOnly, formatsWithConfigBeside } from '../../src/api/generated/formats.js';
import { isObject, readJsonObject } from '../convert/json_files.js';
import { readRange, refusalNote, type SourceFolder } from '../../src/platform/source_folder.js';
import { findWeightFiles } from '../convert/weight_files.js';
import { sayIncomplete } from '../../src/sources/incomplete.js';
import { inFile, sourceFailed, SusurrusError } from '../../src/api/errors.js';
import { throwIfAborted } from '../../src/api/signals.js';
import type { PartFile } from '../../src/protocol/link.js';
import { inCamelCase, shorten } from '../files/inspection.js';
import type { FilesLink, InspectionFacts, TensorRequest } from '../../src/protocol/files.js';

/** The first part of a file, and what comes behind bytes that were left out. The next parts are twice as large. */
const leastPartBytes = 1 << 16;
const mostPartBytes = 1 << 20;
/** Fewer bytes than these are read instead of skipped, since another request would cost more. */
const leastSkippedBytes = { here: 1 << 16, remote: 1 << 18 };

export interface SkimOptions {
  /** Lists of any length. */
  readonly full?: boolean | undefined;
  /** `false`: no tensors; their index is not read if the format stores it separately. */
  readonly tensors?: boolean | undefined;
  readonly onProgress?: ((event: PhaseProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where a tensor's bytes are, and how they are decoded. */
export interface TensorPlace {
  readonly file: string;
  readonly request: TensorRequest;
}

export interface SkimmedModel {
  readonly facts: Inspection;
  /** Place of each tensor in facts.tensors. */
  readonly places: readonly TensorPlace[];
}

/** `files` is started. */
export async function skimModel(
  files: FilesLink,
  folder: SourceFolder,
  options: SkimOptions,
): Promise<SkimmedModel> {
  const names = await findFiles(folder);
  const models: { readonly file: string; readonly facts: InspectionFacts }[] = [];
  // The metadata of all files of SafeTensors are the same.
  for (const file of options.tensors === false ? names.slice(0, 1) : names) {
    try {
      models.push({ file, facts: await skimFile(files, folder, file, options) });
    } catch (error) {
      throw names.length > 1 ? inFile(file, error) : error;
    }
  }
  const [first] = models;
  if (!first) throw sourceFailed(folder.name, 'there are no weights in it');
  if (options.tensors === false) {
    const whole = { ...first.facts, tensors: [] };
    return { facts: await withConfig(folder, whole, options.full), places: [] };
  }
  const places = models.flatMap(({ file, facts }, model) => {
    const scales = scalesOf(facts);
    return facts.tensors.map(({ name, dtype, size, shard }, tensor) => ({
      file: (shard === undefined ? undefined : facts.shards?.[shard]?.file) ?? file,
      request: isDescribedOnly(facts)
        ? { name, dtype, size, ...(scales.get(tensor) ?? { scale: 1, offset: 0 }) }
        : { model, tensor },
    }));
  });
  const whole = names.length > 1 ? together(models) : first.facts;
  return { facts: await withMemory(files, await withConfig(folder, whole, options.full)), places };
}

/** Their descriptions alone tell of tensors. */
const isDescribedOnly = ({ format }: InspectionFacts): boolean =>
  formatsDescribedOnly.includes(format);

/** Scale and offset of the integers of a BW2L file's layers, by tensor. */
export function scalesOf({ layers = [] }: Pick<InspectionFacts, 'layers'>) {
  return new Map(
    layers.flatMap(({ tensors, scale, offset }) =>
      tensors.map((tensor) => [tensor, { scale, offset: Number(offset) }] as const),
    ),
  );
}

/** The file that was named, or whatever holds a folder's weights. */
async function findFiles(folder: SourceFolder): Promise<readonly string[]> {
  const { weightsFile } = folder;
  // A JSON object may be the manifest of an APR2 model, which the core reads, or an index of SafeTensors.
  if (weightsFile !== undefined && !/\.safetensors\.index(\.\w+)?\.json$/.test(weightsFile)) {
    return [weightsFile];
  }
  return findWeightFiles(folder);
}

async function skimFile(
  files: FilesLink,
  folder: SourceFolder,
  file: string,
  options: SkimOptions,
): Promise<InspectionFacts> {
  for (const part of await skimPart(files, folder, file, options)) {
    if ((await folder.byteCount(part.name)) === undefined) {
      throw new SusurrusError(
        'source_failed',
        `The shard ${part.name} is missing: there is no such file in ${folder.name}${refusalNote(folder, part.name)}.`,
        { reason: 'manifest', subject: part.name },
      );
    }
    await skimPart(files, folder, part.name, options);
    // The first shard has the metadata.
    if (options.tensors === false) break;
  }
  return files.call('finishInspect', { full: options.full });
}

/** Returns what other files belong to this one. */
export async function skimPart(
  files: FilesLink,
  folder: SourceFolder,
  file: string,
  options: SkimOptions,
): Promise<readonly PartFile[]> {
  const byteCount = await folder.byteCount(file);
  if (byteCount === undefined)
    throw sourceFailed(file, `there is no such file${refusalNote(folder, file)}`);
  try {
    return await skimBytes(files, folder, { file, byteCount }, options);
  } catch (error) {
    throw await sayIncomplete(error, byteCount, (begin, end) =>
      readRange(folder, file, begin, end - begin),
    );
  }
}

async function skimBytes(
  files: FilesLink,
  folder: SourceFolder,
  { file, byteCount }: { readonly file: string; readonly byteCount: number },
  { full, onProgress, signal, tensors = true }: SkimOptions,
): Promise<readonly PartFile[]> {
  await files.call('beginFile', { byteCount, skims: tensors ? 'all' : 'metadata', full });
  const least = folder.isRemote ? leastSkippedBytes.remote : leastSkippedBytes.here;
  let at = 0;
  let partBytes = leastPartBytes;
  while (at < byteCount) {
    let skippable = 0;
    const begin = at;
    for await (const bytes of folder.read(file, at, Math.min(partBytes, byteCount - at))) {
      throwIfAborted(signal);
      ({ skippable } = await files.call('pushInspect', { bytes }));
      at += bytes.length;
    }
    if (at === begin) throw sourceFailed(file, 'it became shorter while it was read');
    partBytes = Math.min(2 * partBytes, mostPartBytes);
    if (skippable >= least) {
      await files.call('skipInspect', { byteCount: skippable });
      at += skippable;
      partBytes = leastPartBytes;
    }
    onProgress?.({
      phase: 'inspect',
      loaded: at,
      total: byteCount,
      fraction: at / byteCount,
    });
  }
  return files.call('endFile', undefined);
}

/** Files of SafeTensors that are one model. */
function together(
  models: readonly { readonly file: string; readonly facts: InspectionFacts }[],
): InspectionFacts {
  const [first] = models;
  if (!first) throw new TypeError('no files');
  return {
    ...first.facts,
    byteCount: models.reduce((sum, { facts }) => sum + facts.byteCount, 0),
    tensors: models.flatMap(({ facts }, shard) =>
      facts.tensors.map((tensor) => ({ ...tensor, shard })),
    ),
    shards: models.map(({ file, facts }) => ({ file, flags: facts.flags })),
    warnings: models.flatMap(({ file, facts }) =>
      facts.warnings.map((warning) => `${file}: ${warning}`),
    ),
  };
}

/** The dimensions in a hub folder's config.json, for weights without dimensions; makes no request to a server. */
async function withConfig(
  folder: SourceFolder,
  facts: InspectionFacts,
  full = false,
): Promise<InspectionFacts> {
  if (!formatsWithConfigBeside.includes(facts.format) || folder.isRemote) return facts;
  const config = await readJsonObject(folder, 'config.json');
  if (!isObject(config)) return facts;
  let dims = facts.dims;
  try {
    dims ??= inCamelCase(readArchitecture(config, 'config.json'));
  } catch (error) {
    // Another kind of model.
    if (!(error instanceof SusurrusError)) throw error;
  }
  return {
    ...facts,
    ...(dims && { dims }),
    metadata: { ...facts.metadata, config: full ? config : shorten(config) },
  };
}

export async function withMemory(files: FilesLink, facts: InspectionFacts): Promise<Inspection> {
  const { dims, tensors } = facts;
  if (!dims) return facts;
  const hasBlocks = tensors.some(({ dtype }) => blockTypes.includes(dtype));
  const state = await files.call('stateBytes', { dims, hasBlocks });
  if (state === 0) return facts;
  const weights = tensors.reduce((sum, { rawSize }) => sum + rawSize, 0);
  return { ...facts, memory: { weights, state, total: weights + state } };
}
