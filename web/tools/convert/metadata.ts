import type { Architecture } from '../../src/api/generated/whisper.js';
import { isId, isObject, type JsonObject } from './json_files.js';
import { officialHeads } from './official_heads.js';
import { bitsPerWeight } from '../../src/api/generated/dtypes.js';
import {
  englishVocabulary,
  frequencyBins,
  multilingualVocabulary,
} from '../../src/api/generated/whisper.js';
import { isBlockType, type WrittenType } from './weight_types.js';

export interface MetadataParts {
  readonly architecture: Architecture;
  readonly config: JsonObject;
  readonly generation: JsonObject | undefined;
  /** Byte-level text by id; absent: the file will give token ids only. */
  readonly vocabulary: readonly string[] | undefined;
  /** [n_mels, 201], row-major. */
  readonly filterbank: Float32Array;
  /** `'exact'`: the source's precision. */
  readonly dtype: WrittenType;
  /** Format of the checkpoint: "SafeTensors", "ggml". */
  readonly format: string;
}

/** The warning about metadata that renewedMetadataText() leaves out. */
export const lostDigests = 'piece_digests are left out: they are those of the file before';

/** APR2's metadata section: JSON text. */
export function metadataText(parts: MetadataParts): string {
  const { architecture, vocabulary, filterbank, dtype } = parts;
  const heads = alignmentHeads(parts);
  return JSON.stringify({
    apr_version: '2.0.0',
    model_type: 'whisper',
    architecture,
    tokenizer_config: tokenizerConfig(parts),
    ...(heads.length > 0 && { alignment_heads: heads }),
    model_card: modelCard(parts),
    ...quantization(dtype),
    ...filterbankKeys(filterbank),
    ...(vocabulary && { vocab: vocabulary }),
  });
}

/**
 * APR2's metadata section for a model that has metadata: all of it, except facts about how the model was stored. `vocabulary`
 * replaces the model's own.
 */
export function renewedMetadataText(
  metadata: JsonObject,
  dtype: WrittenType,
  vocabulary?: readonly string[],
): string {
  const { tokenizer_config: tokenizer } = metadata;
  return JSON.stringify({
    ...metadata,
    apr_version: '2.0.0',
    piece_digests: undefined,
    ...(dtype !== 'exact' && { quantization: undefined, ...quantization(dtype) }),
    ...(vocabulary && {
      tokenizer_config: { ...(isObject(tokenizer) && tokenizer), vocab_encoding: 'gpt2-bytes' },
      vocab: vocabulary,
    }),
  });
}

export const filterbankKeys = (filterbank: Float32Array) => ({
  mel_filterbank_shape: [filterbank.length / frequencyBins, frequencyBins],
  // Nine significant digits give the same f32 back.
  mel_filterbank: Array.from(filterbank, (weight) => Number(weight.toPrecision(9))),
});

const quantization = (dtype: WrittenType) =>
  isBlockType(dtype) && {
    quantization: { method: dtype.toUpperCase(), bits_per_weight: bitsPerWeight[dtype] },
  };

/** Where the weights are from; local paths of the checkpoint's author are left out. */
function modelCard({ config, format }: MetadataParts) {
  const name = config._name_or_path;
  const isHubName = typeof name === 'string' && /^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(name);
  return { ...(isHubName && { name }), source_format: format };
}

function tokenizerConfig({ architecture, config, generation, vocabulary }: MetadataParts) {
  const ids = (key: string): { [key: string]: number[] } | undefined => {
    // null means the same as no such key: the defaults.
    const list = generation?.[key] ?? config[key];
    if (!Array.isArray(list)) return undefined;
    return { [key]: list.filter(isId).filter((id) => id < architecture.n_vocab) };
  };
  const initial = generation?.max_initial_timestamp_index ?? config.max_initial_timestamp_index;
  const isMultilingual = multilingual(architecture.n_vocab, generation);
  return {
    ...(vocabulary && { vocab_encoding: 'gpt2-bytes' }),
    ...(isMultilingual !== undefined && { is_multilingual: isMultilingual }),
    ...ids('suppress_tokens'),
    ...ids('begin_suppress_tokens'),
    ...(isId(initial) && { max_initial_timestamp_index: initial }),
  };
}

/** As stated; else by the official sizes; else left to the vocabulary. */
function multilingual(vocabularySize: number, generation: JsonObject | undefined) {
  if (typeof generation?.is_multilingual === 'boolean') return generation.is_multilingual;
  if (vocabularySize >= multilingualVocabulary) return true;
  return vocabularySize === englishVocabulary ? false : undefined;
}

/** What metadataText leaves out of what the folder states. */
export function metadataWarnings(parts: MetadataParts): string[] {
  const stated = statedHeads(parts);
  const dropped = stated.length - soundHeads(parts).length;
  return dropped === 0
    ? []
    : [`alignment_heads: ${dropped} of ${stated.length} are not in the model and are dropped`];
}

function statedHeads({ config, generation }: MetadataParts): unknown[] {
  const list = generation?.alignment_heads ?? config.alignment_heads;
  return Array.isArray(list) ? list : [];
}

/** Where a source says nothing (ggml, OpenAI's and MLX's folders), or nothing that holds: by its dimensions. */
function alignmentHeads(parts: MetadataParts): number[][] {
  const stated = soundHeads(parts);
  return stated.length > 0 ? stated : officialHeads(parts.architecture);
}

/** Fine-tuned models inherit lists of larger ones: what this decoder does not have is dropped. */
function soundHeads(parts: MetadataParts): number[][] {
  const { n_text_layer: layers, n_text_head: heads } = parts.architecture;
  return statedHeads(parts).filter(
    (pair: unknown): pair is number[] =>
      Array.isArray(pair) &&
      pair.length === 2 &&
      pair.every(isId) &&
      Number(pair[0]) < layers &&
      Number(pair[1]) < heads,
  );
}
