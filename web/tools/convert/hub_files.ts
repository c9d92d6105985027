// What lies beside the weights in a Whisper folder of the hub, from what an APR2 file says.
import type { YieldController } from '../../src/wasm/yield_controller.js';
import {
  fftSize,
  hopSamples,
  hubNames,
  multilingualVocabulary,
  sampleRate,
  type Architecture,
} from '../../src/api/generated/whisper.js';
import { controlTokens, tokenizerFiles, type TextFile, type Tokens } from './hub_tokenizer.js';
import { isObject, type JsonObject } from './json_files.js';
import { addOfficialTokens } from './official_tokens.js';

export interface HubParts {
  readonly architecture: Architecture;
  /** APR2's. */
  readonly metadata: JsonObject;
  readonly vocabulary: Tokens | undefined;
  /** [n_mels, 201], where it is not the one that the hub's programs compute. */
  readonly filterbank: Float32Array | undefined;
  /** Type of the weights: "float16". */
  readonly torchType: string;
}

/** All files but that of the weights. */
export async function hubFiles(
  parts: HubParts,
  yielder: YieldController,
): Promise<readonly TextFile[]> {
  const tokens = [...(parts.vocabulary ?? [])];
  addOfficialTokens(tokens, parts.architecture.n_vocab);
  const ids = controlTokens(tokens);
  const json = (name: string, content: JsonObject): TextFile => ({
    name,
    text: `${JSON.stringify(content, null, 2)}\n`,
  });
  return [
    json('config.json', config(parts, ids)),
    json('generation_config.json', generationConfig(parts, ids)),
    json('preprocessor_config.json', preprocessorConfig(parts)),
    ...(parts.vocabulary ? await tokenizerFiles(tokens, yielder) : []),
  ];
}

type Ids = ReadonlyMap<string, number>;

/** Absent where the vocabulary has no such tokens. */
function tokenIds(ids: Ids): JsonObject {
  const end = ids.get('<|endoftext|>');
  return {
    bos_token_id: end,
    eos_token_id: end,
    pad_token_id: end,
    decoder_start_token_id: ids.get('<|startoftranscript|>'),
  };
}

function config({ architecture, torchType }: HubParts, ids: Ids): JsonObject {
  const width = architecture.n_audio_state;
  return {
    architectures: ['WhisperForConditionalGeneration'],
    model_type: 'whisper',
    is_encoder_decoder: true,
    ...Object.fromEntries(
      Object.entries(architecture).map(([name, value]) => [
        hubNames[name as keyof Architecture],
        value as number,
      ]),
    ),
    num_hidden_layers: architecture.n_audio_layer,
    encoder_ffn_dim: 4 * width,
    decoder_ffn_dim: 4 * width,
    activation_function: 'gelu',
    scale_embedding: false,
    tie_word_embeddings: true,
    median_filter_width: 7,
    torch_dtype: torchType,
    ...tokenIds(ids),
  };
}

function generationConfig({ architecture, metadata }: HubParts, ids: Ids): JsonObject {
  const stated: JsonObject = isObject(metadata.tokenizer_config) ? metadata.tokenizer_config : {};
  const isMultilingual = stated.is_multilingual ?? architecture.n_vocab >= multilingualVocabulary;
  const [translate, transcribe] = ['<|translate|>', '<|transcribe|>'].map((text) => ids.get(text));
  return {
    ...tokenIds(ids),
    is_multilingual: isMultilingual,
    ...(isMultilingual === true && {
      lang_to_id: Object.fromEntries([...ids].filter(([text]) => /^<\|[a-z]{2,3}\|>$/.test(text))),
      task_to_id: { transcribe, translate },
    }),
    no_timestamps_token_id: ids.get('<|notimestamps|>'),
    prev_sot_token_id: ids.get('<|startofprev|>'),
    alignment_heads: metadata.alignment_heads ?? undefined,
    suppress_tokens: stated.suppress_tokens ?? undefined,
    begin_suppress_tokens: stated.begin_suppress_tokens ?? undefined,
    max_initial_timestamp_index: stated.max_initial_timestamp_index ?? 50,
    max_length: architecture.n_text_ctx,
    return_timestamps: false,
  };
}

function preprocessorConfig({ architecture, filterbank }: HubParts): JsonObject {
  const frames = 2 * architecture.n_audio_ctx;
  return {
    feature_extractor_type: 'WhisperFeatureExtractor',
    processor_class: 'WhisperProcessor',
    feature_size: architecture.n_mels,
    sampling_rate: sampleRate,
    n_fft: fftSize,
    hop_length: hopSamples,
    chunk_length: (frames * hopSamples) / sampleRate,
    n_samples: frames * hopSamples,
    nb_max_frames: frames,
    padding_side: 'right',
    padding_value: 0,
    return_attention_mask: false,
    ...(filterbank && { mel_filters: rows(filterbank, architecture.n_mels) }),
  };
}

function rows(values: Float32Array, count: number): number[][] {
  const width = values.length / count;
  return Array.from({ length: count }, (_, row) =>
    // Nine significant digits give the same f32 back.
    Array.from(values.subarray(row * width, (row + 1) * width), (value) =>
      Number(value.toPrecision(9)),
    ),
  );
}
