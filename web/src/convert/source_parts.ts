// What the files of a source say besides weights, for the metadata of the model that is made of it.
import type { ConvertOptions, WeightType } from '../api_types.js';
import { invalidOption, sourceFailed } from '../errors.js';
import type { FilesModule } from '../files/module.js';
import { readWholeFile } from '../platform/node_files.js';
import type { OpenedCheckpoint } from './checkpoint.js';
import { readArchitecture } from './dimensions.js';
import { filterbankOf, slaneyFilterbank } from './filterbank.js';
import { parseJsonObject, readJsonObject, type JsonObject } from './json_files.js';
import type { MetadataParts } from './metadata.js';
import type { SourceFolder } from './source_folder.js';
import {
  checkpointVocabulary,
  readRanks,
  readVocabulary,
  type SourceVocabulary,
} from './vocabulary.js';

export interface SourceParts {
  readonly parts: MetadataParts;
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
  const found = await readParts(module, folder, first, options);
  const { n_vocab: vocabularySize } = found.architecture;
  const vocabulary = options.vocabulary
    ? await givenVocabulary(options.vocabulary, vocabularySize)
    : (checkpointVocabulary(first, vocabularySize) ??
      // A ggml file is whole by itself; what lies beside it is another model's.
      (format === 'ggml' ? undefined : await readVocabulary(folder, vocabularySize)));
  const dtype = options.dtype ?? storedBlocks(first) ?? 'f16';
  return {
    parts: { ...found, format, dtype, vocabulary: vocabulary?.tokens },
    warnings: [
      ...weights.flatMap(({ facts }) => facts.warnings),
      ...(vocabulary
        ? vocabulary.warnings
        : [
            `the ${format === 'ggml' ? 'file' : 'folder'} has no vocabulary: the model gives token ids but no text (--vocabulary FILE)`,
          ]),
    ],
  };
}

type FoundParts = Omit<MetadataParts, 'format' | 'dtype' | 'vocabulary'>;

async function readParts(
  module: FilesModule,
  folder: SourceFolder,
  { core, facts }: OpenedCheckpoint,
  { metadata }: ConvertOptions,
): Promise<FoundParts> {
  const slaney = (nMels: number): Float32Array => slaneyFilterbank(module, nMels);
  const { format, architecture } = facts;
  if (metadata !== undefined && (format === 'ggml' || format === 'GGUF')) {
    throw invalidOption('metadata', `nothing, for ${format} says all itself`, 'a file');
  }
  if (architecture && format !== 'CTranslate2') {
    const filterbank = core.filterbank().slice();
    return {
      architecture,
      config: {},
      generation: undefined,
      filterbank: filterbank.length > 0 ? filterbank : slaney(architecture.n_mels),
    };
  }
  const config = await readConfig(folder, metadata);
  // Dimensions in the weights' own file leave little to a config.json.
  if (!config && !architecture) {
    throw sourceFailed(folder.name, 'there is no config.json in it (--metadata FILE)');
  }
  const found = architecture ?? readArchitecture(config ?? {}, configFile);
  const preprocessor = await readJsonObject(folder, 'preprocessor_config.json');
  return {
    architecture: found,
    config: format === 'CTranslate2' ? hubConfig(config ?? {}) : (config ?? {}),
    generation: await readJsonObject(folder, 'generation_config.json'),
    filterbank: filterbankOf(preprocessor, found.n_mels) ?? slaney(found.n_mels),
  };
}

const configFile = 'config.json';

async function readConfig(
  folder: SourceFolder,
  given: ConvertOptions['metadata'],
): Promise<JsonObject | undefined> {
  if (given === undefined) return readJsonObject(folder, configFile);
  return parseJsonObject(await bytesOf(given), typeof given === 'string' ? given : configFile);
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

/** Weights that are in blocks stay in them unless another type is asked for. */
function storedBlocks({ facts }: OpenedCheckpoint): WeightType | undefined {
  return isBlockType(facts.dtype) ? facts.dtype : undefined;
}

const isBlockType = (dtype: string | undefined): dtype is WeightType =>
  dtype !== undefined && /^q\d_\d$/.test(dtype);

async function givenVocabulary(
  given: NonNullable<ConvertOptions['vocabulary']>,
  vocabularySize: number,
): Promise<SourceVocabulary> {
  const name = typeof given === 'string' ? given : 'vocabulary';
  return readRanks(new TextDecoder().decode(await bytesOf(given)), name, vocabularySize);
}

/** Of a file that is given by its path or as it is. */
async function bytesOf(
  given: string | Blob | ArrayBuffer | Uint8Array,
): Promise<ArrayBuffer | Uint8Array> {
  if (typeof given === 'string') return readWholeFile(given);
  return given instanceof Blob ? given.arrayBuffer() : given;
}
