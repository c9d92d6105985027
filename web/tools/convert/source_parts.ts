// What the files of a source say besides weights, for the metadata of the model that is made of it.
import type { ConvertOptions } from '../../src/api/types.js';
import { YieldController } from '../../src/wasm/yield_controller.js';
import { invalidOption, sourceFailed } from '../../src/api/errors.js';
import type { FilesModule } from '../files/module.js';
import { weightTypes } from '../../src/api/generated/dtypes.js';
import type { OpenedCheckpoint } from './checkpoint.js';
import { readArchitecture } from './dimensions.js';
import { filterbankOf, slaneyFilterbank } from './filterbank.js';
import { isObject, parseJsonObject, readJsonObject, type JsonObject } from './json_files.js';
import {
  filterbankKeys,
  lostDigests,
  metadataText,
  metadataWarnings,
  renewedMetadataText,
  type MetadataParts,
} from './metadata.js';
import { refusalNote, type SourceFolder } from '../../src/platform/source_folder.js';
import {
  checkpointVocabulary,
  readRanks,
  readVocabulary,
  type SourceVocabulary,
} from './vocabulary.js';
import { isBlockType, type WrittenType } from './weight_types.js';

export interface SourceParts {
  /** APR2's metadata section: JSON text. */
  readonly metadata: string;
  readonly dtype: WrittenType;
  readonly vocabulary: SourceVocabulary | undefined;
  readonly warnings: readonly string[];
}

/** From the checkpoint's own file where that has them, else from the files beside it. */
export async function readSourceParts(
  module: FilesModule,
  folder: SourceFolder,
  weights: readonly OpenedCheckpoint[],
  options: ConvertOptions,
): Promise<SourceParts> {
  const [first] = weights;
  if (!first) throw sourceFailed(folder.name, 'there are no weights in it');
  const { format } = first.facts;
  const dtype = options.dtype ?? storedType(first, options);
  const warnings = weights.flatMap(({ facts }) => facts.warnings);
  if (format === 'APR2' && first.metadata) {
    const metadata = withFilterbank(module, first, first.metadata, options);
    refuseMetadata(first, options);
    const vocabularySize = vocabularySizeOf(metadata);
    const given = await givenVocabulary(options, vocabularySize);
    const isThere = given !== undefined || metadata.vocab !== undefined;
    return {
      metadata: renewedMetadataText(metadata, dtype, given?.tokens),
      dtype,
      vocabulary: given ?? checkpointVocabulary(first, vocabularySize),
      warnings: [
        ...warnings,
        ...('piece_digests' in metadata ? [lostDigests] : []),
        ...(isThere ? (given?.warnings ?? []) : [noVocabulary(first)]),
      ],
    };
  }
  const found = await readParts(module, folder, first, options);
  const { n_vocab: vocabularySize } = found.architecture;
  const vocabulary =
    (await givenVocabulary(options, vocabularySize)) ??
    checkpointVocabulary(first, vocabularySize) ??
    (isWhole(first) ? undefined : await readVocabulary(folder, vocabularySize));
  const parts = { ...found, format, dtype, vocabulary: vocabulary?.tokens };
  return {
    metadata: metadataText(parts),
    dtype,
    vocabulary,
    warnings: [
      ...warnings,
      ...(vocabulary ? vocabulary.warnings : [noVocabulary(first)]),
      ...metadataWarnings(parts),
    ],
  };
}

/** Files beside such a file belong to other models. */
const isWhole = ({ facts, metadata }: OpenedCheckpoint): boolean =>
  facts.format === 'ggml' || metadata !== undefined;

const noVocabulary = (source: OpenedCheckpoint): string =>
  `the ${isWhole(source) ? 'file' : 'folder'} has no vocabulary: the model gives token ids but no text (--vocabulary FILE)`;

function refuseMetadata(source: OpenedCheckpoint, { metadata }: ConvertOptions): void {
  const { format } = source.facts;
  if (metadata !== undefined && (isWhole(source) || format === 'GGUF')) {
    throw invalidOption('metadata', `nothing, for ${format} says all itself`, 'a file');
  }
}

type FoundParts = Omit<MetadataParts, 'format' | 'dtype' | 'vocabulary'>;

async function readParts(
  module: FilesModule,
  folder: SourceFolder,
  source: OpenedCheckpoint,
  options: ConvertOptions,
): Promise<FoundParts> {
  const { core, metadata } = source;
  const counting = (own: Float32Array | undefined, nMels: number): Float32Array =>
    own === undefined || options.filterbank === 'whisper' ? slaneyFilterbank(module, nMels) : own;
  const { format, architecture } = source.facts;
  refuseMetadata(source, options);
  if (architecture && format !== 'CTranslate2') {
    const own = core.filterbank().slice();
    return {
      architecture,
      config: {},
      generation: metadata && statedSettings(metadata),
      filterbank: counting(own.length > 0 ? own : undefined, architecture.n_mels),
    };
  }
  const config = await readConfig(folder, options.metadata);
  // Dimensions in the weights' own file leave little to a config.json.
  if (!config && !architecture) {
    const note = refusalNote(folder, 'config.json');
    throw sourceFailed(folder.name, `there is no config.json in it (--metadata FILE)${note}`);
  }
  const found = architecture ?? readArchitecture(config ?? {}, configFile);
  const preprocessor = await readJsonObject(folder, 'preprocessor_config.json');
  return {
    architecture: found,
    config: format === 'CTranslate2' ? hubConfig(config ?? {}) : (config ?? {}),
    generation: await readJsonObject(folder, 'generation_config.json'),
    filterbank: counting(filterbankOf(preprocessor, found.n_mels), found.n_mels),
  };
}

const configFile = 'config.json';

async function readConfig(
  folder: SourceFolder,
  given: ConvertOptions['metadata'],
): Promise<JsonObject | undefined> {
  if (given === undefined) return readJsonObject(folder, configFile);
  return parseJsonObject(await givenBytes(given), givenName(given, configFile));
}

/** CTranslate2's keys under the hub's names; an empty list there is none. */
function hubConfig(config: JsonObject): JsonObject {
  const list = (key: string): unknown => {
    const value = config[key];
    return Array.isArray(value) && value.length > 0 ? value : undefined;
  };
  return {
    alignment_heads: config.alignment_heads,
    suppress_tokens: list('suppress_ids'),
    begin_suppress_tokens: list('suppress_ids_begin'),
  };
}

/** What metadata inside a file say about decoding, under the hub's names. */
const statedSettings = (metadata: JsonObject): JsonObject => ({
  ...metadata,
  ...(isObject(metadata.tokenizer_config) && metadata.tokenizer_config),
});

/** Whisper's where it is asked for, and where there is none and whisper.cpp needs one, which has none of its own. */
function withFilterbank(
  module: FilesModule,
  { facts }: OpenedCheckpoint,
  metadata: JsonObject,
  { format, filterbank }: ConvertOptions,
): JsonObject {
  const isMissing = format === 'ggml' && metadata.mel_filterbank === undefined;
  if (!facts.architecture || (filterbank !== 'whisper' && !isMissing)) return metadata;
  return { ...metadata, ...filterbankKeys(slaneyFilterbank(module, facts.architecture.n_mels)) };
}

/** Unless another type is asked for, models stay as exact as they are, weights that are in blocks stay in them, and others become q8_0. */
function storedType(
  { facts, metadata }: OpenedCheckpoint,
  { format = 'apr2' }: ConvertOptions,
): WrittenType {
  if (format === 'apr1') return 'f16';
  if (metadata || format !== 'apr2') return 'exact';
  return weightTypes.find((type) => isBlockType(type) && type === facts.dtype) ?? 'q8_0';
}

function vocabularySizeOf({ architecture }: JsonObject): number {
  const size = isObject(architecture) ? architecture.n_vocab : undefined;
  return typeof size === 'number' ? size : 0;
}

async function givenVocabulary(
  { vocabulary: given, signal }: ConvertOptions,
  vocabularySize: number,
): Promise<SourceVocabulary | undefined> {
  if (given === undefined) return undefined;
  return readRanks(
    new TextDecoder().decode(await givenBytes(given)),
    givenName(given, 'vocabulary'),
    vocabularySize,
    new YieldController(signal),
  );
}

type Given = NonNullable<ConvertOptions['vocabulary']>;

const givenName = (given: Given, otherwise: string): string =>
  given instanceof File ? given.name : otherwise;

/** Bytes of a file that is given as such; paths and URLs were replaced before (convert_options.ts). */
async function givenBytes(given: Given): Promise<ArrayBuffer | Uint8Array> {
  if (typeof given === 'string' || given instanceof URL) {
    throw invalidOption('vocabulary', 'the bytes of a file', given);
  }
  return given instanceof Blob ? given.arrayBuffer() : given;
}
