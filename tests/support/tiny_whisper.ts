// The smallest Whisper that the engine loads, as APR2 fields; weights from a seed.
import { flagBits, type WrittenFile, type WrittenTensor } from './apr2_writer.js';
import { lz4Stream } from './lz4_blocks.js';

const state = 32;
export const tinyDims = {
  n_vocab: 58,
  n_audio_ctx: 20,
  n_text_ctx: 16,
  n_mels: 80,
  n_audio_layer: 1,
  n_text_layer: 1,
  n_audio_head: 2,
  n_text_head: 2,
  n_audio_state: state,
  n_text_state: state,
} as const;

const vocabulary = [
  ...Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index)),
  'Ġa',
  'Ġb',
  '<|endoftext|>',
  '<|startoftranscript|>',
  '<|en|>',
  '<|translate|>',
  '<|transcribe|>',
  '<|startoflm|>',
  '<|startofprev|>',
  '<|nospeech|>',
  '<|notimestamps|>',
  ...Array.from({ length: 21 }, (_, index) => `<|${(index * 0.02).toFixed(2)}|>`),
];

export const tinyMetadata = {
  apr_version: '2.0.0',
  model_type: 'whisper',
  architecture: tinyDims,
  vocab: vocabulary,
  tokenizer_config: { vocab_encoding: 'gpt2-bytes', is_multilingual: false },
};

export interface WhisperDims {
  readonly n_vocab: number;
  readonly n_audio_ctx: number;
  readonly n_text_ctx: number;
  readonly n_mels: number;
  readonly n_audio_layer: number;
  readonly n_text_layer: number;
  readonly n_audio_head: number;
  readonly n_text_head: number;
  readonly n_audio_state: number;
  readonly n_text_state: number;
}

type NamedShape = [name: string, shape: number[]];

/** Names and shapes in execution order. */
export function whisperShapes(dims: WhisperDims): readonly NamedShape[] {
  const width = dims.n_audio_state;
  const pair = (module: string, weight: number[], bias: number[]): NamedShape[] => [
    [`${module}.weight`, weight],
    [`${module}.bias`, bias],
  ];
  const attention = (module: string): NamedShape[] => [
    ...pair(`${module}.query`, [width, width], [width]),
    [`${module}.key.weight`, [width, width]],
    ...pair(`${module}.value`, [width, width], [width]),
    ...pair(`${module}.out`, [width, width], [width]),
  ];
  const block = (prefix: string, hasCross: boolean): NamedShape[] => [
    ...pair(`${prefix}.attn_ln`, [width], [width]),
    ...attention(`${prefix}.attn`),
    ...(hasCross
      ? [...pair(`${prefix}.cross_attn_ln`, [width], [width]), ...attention(`${prefix}.cross_attn`)]
      : []),
    ...pair(`${prefix}.mlp_ln`, [width], [width]),
    ...pair(`${prefix}.mlp.0`, [4 * width, width], [4 * width]),
    ...pair(`${prefix}.mlp.2`, [width, 4 * width], [width]),
  ];
  const blocks = (side: string, count: number): NamedShape[] =>
    Array.from({ length: count }, (_, i) =>
      block(`${side}.blocks.${i}`, side === 'decoder'),
    ).flat();
  return [
    ...pair('encoder.conv1', [width, dims.n_mels, 3], [width]),
    ...pair('encoder.conv2', [width, width, 3], [width]),
    ['encoder.positional_embedding', [dims.n_audio_ctx, width]],
    ...blocks('encoder', dims.n_audio_layer),
    ...pair('encoder.ln_post', [width], [width]),
    ['decoder.token_embedding.weight', [dims.n_vocab, width]],
    ['decoder.positional_embedding', [dims.n_text_ctx, width]],
    ...blocks('decoder', dims.n_text_layer),
    ...pair('decoder.ln', [width], [width]),
  ];
}

export const tinyShapes = whisperShapes(tinyDims);

/** Multiples of 1/16 in [-0.5, 0.5): small enough for a stable forward pass, repetitive enough for LZ4. */
function weights(count: number, seed: number): Uint8Array {
  const values = new Float32Array(count);
  let random = seed;
  for (let i = 0; i < count; ++i) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    values[i] = ((random >>> 28) - 8) / 16;
  }
  return new Uint8Array(values.buffer);
}

export interface TinyOptions {
  readonly compress?: boolean;
  /** File order of the data; the index stays in execution order. */
  readonly reverseData?: boolean;
  /** Larger than the tiny one's; the vocabulary stays. */
  readonly dims?: WhisperDims;
}

export function tinyWhisper({
  compress = false,
  reverseData = false,
  dims: whisperDims = tinyDims,
}: TinyOptions = {}): WrittenFile {
  const tensors = whisperShapes(whisperDims).map(([name, dims], index): WrittenTensor => {
    const raw = weights(
      dims.reduce((product, dim) => product * dim, 1),
      index + 1,
    );
    const stored = compress ? lz4Stream(raw) : raw;
    return stored.length < raw.length
      ? { name, dims, stored, rawSize: raw.length }
      : { name, dims, stored: raw };
  });
  const flags = flagBits.aligned64 | (compress ? flagBits.compressed : 0);
  return {
    flags,
    metadata: { ...tinyMetadata, architecture: whisperDims },
    tensors: reverseData ? [...tensors].reverse() : tensors,
  };
}
