// The smallest Whisper that the engine loads, as APR2 fields; weights from a seed.
import { flagBits, type WrittenFile, type WrittenTensor } from './apr2_writer.js';
import { lz4Stream } from './lz4_blocks.js';

const state = 32;
export const tinyDims = {
  n_vocab: 60,
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

function pair(module: string, weight: number[], bias: number[]): [string, number[]][] {
  return [
    [`${module}.weight`, weight],
    [`${module}.bias`, bias],
  ];
}

function attention(module: string): [string, number[]][] {
  return [
    ...pair(`${module}.query`, [state, state], [state]),
    [`${module}.key.weight`, [state, state]],
    ...pair(`${module}.value`, [state, state], [state]),
    ...pair(`${module}.out`, [state, state], [state]),
  ];
}

function block(prefix: string, hasCross: boolean): [string, number[]][] {
  return [
    ...pair(`${prefix}.attn_ln`, [state], [state]),
    ...attention(`${prefix}.attn`),
    ...(hasCross
      ? [...pair(`${prefix}.cross_attn_ln`, [state], [state]), ...attention(`${prefix}.cross_attn`)]
      : []),
    ...pair(`${prefix}.mlp_ln`, [state], [state]),
    ...pair(`${prefix}.mlp.0`, [4 * state, state], [4 * state]),
    ...pair(`${prefix}.mlp.2`, [state, 4 * state], [state]),
  ];
}

/** Names and shapes in execution order. */
export const tinyShapes: readonly [string, number[]][] = [
  ...pair('encoder.conv1', [state, tinyDims.n_mels, 3], [state]),
  ...pair('encoder.conv2', [state, state, 3], [state]),
  ['encoder.positional_embedding', [tinyDims.n_audio_ctx, state]],
  ...block('encoder.blocks.0', false),
  ...pair('encoder.ln_post', [state], [state]),
  ['decoder.token_embedding.weight', [tinyDims.n_vocab, state]],
  ['decoder.positional_embedding', [tinyDims.n_text_ctx, state]],
  ...block('decoder.blocks.0', true),
  ...pair('decoder.ln', [state], [state]),
];

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
}

export function tinyWhisper({
  compress = false,
  reverseData = false,
}: TinyOptions = {}): WrittenFile {
  const tensors = tinyShapes.map(([name, dims], index): WrittenTensor => {
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
    metadata: tinyMetadata,
    tensors: reverseData ? [...tensors].reverse() : tensors,
  };
}
