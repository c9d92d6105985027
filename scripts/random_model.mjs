// Writes a Whisper of random weights as a folder of the Hugging Face hub: exact dimensions, real vocabulary, no sense.
// For tests and benchmarks where trained weights are not at hand.
//
//   node scripts/random_model.mjs SIZE RANKS.tiktoken FOLDER [--dtype f32|f16] [--seed N] [--outliers]
//
// SIZE is tiny, base, small, medium, large-v3, large-v3-turbo, distil-large-v3 or micro. The same seed gives the same bytes. With
// outliers, a few channels are far larger than the rest, as in trained models.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { whisper } from './facts/read_facts.mjs';
import { readRanks, writeHubVocabulary } from './hub_vocabulary.mjs';
import { withOutliers } from './outlier_channels.mjs';
import { isProgram, main, StepError } from './toolchain/steps.mjs';

const usual = { melBands: 80, languages: 99, extraTokens: 0 };
/** large-v3 and what is made of it hear more bands and know a language more. */
const large = { ...usual, state: 1280, heads: 20, melBands: 128, languages: 100 };
/** Dimensions of Whispers by their names. */
export const sizes = {
  micro: { ...usual, state: 64, heads: 1, encoderLayers: 2, decoderLayers: 2 },
  tiny: { ...usual, state: 384, heads: 6, encoderLayers: 4, decoderLayers: 4 },
  base: { ...usual, state: 512, heads: 8, encoderLayers: 6, decoderLayers: 6 },
  small: { ...usual, state: 768, heads: 12, encoderLayers: 12, decoderLayers: 12 },
  medium: { ...usual, state: 1024, heads: 16, encoderLayers: 24, decoderLayers: 24 },
  'large-v3': { ...large, encoderLayers: 32, decoderLayers: 32 },
  'large-v3-turbo': { ...large, encoderLayers: 32, decoderLayers: 4 },
  // Distilled ones keep the encoder and two layers of the decoder.
  'distil-large-v3': { ...large, encoderLayers: 32, decoderLayers: 2 },
};
const { officialAudioContext: audioContext, officialTextContext: textContext } = whisper;

/** xorshift32: uniform in −1 … 1. */
export function randomSource(seed) {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x80000000 - 1;
  };
}

/** Spreads values evenly around 0 with this standard deviation. */
const spread = (deviation) => (values, random) => {
  const width = deviation * Math.sqrt(3);
  for (let i = 0; i < values.length; ++i) values[i] = width * random();
};

/** Around 1, as the gains of a trained layer norm are. */
const gains = (values, random) => {
  for (let i = 0; i < values.length; ++i) values[i] = 1 + 0.1 * random();
};

/** Whisper's fixed encoder positions. */
const sinusoids = (state) => (values) => {
  const half = state / 2;
  for (let t = 0; t < audioContext; ++t) {
    for (let i = 0; i < half; ++i) {
      const angle = t * Math.exp((-Math.log(10000) / (half - 1)) * i);
      values[t * state + i] = Math.sin(angle);
      values[t * state + half + i] = Math.cos(angle);
    }
  }
};

/**
 * Names, shapes and fillers of every tensor, in file order. Each matrix keeps the size of what passes through it, so
 * that values stay in a sane range at any depth.
 */
function tensorList({ state, encoderLayers, decoderLayers, melBands, vocabularySize }) {
  const list = [];
  const add = (name, shape, fill) => list.push({ name: `model.${name}`, shape, fill });
  const norm = (name) => {
    add(`${name}.weight`, [state], gains);
    add(`${name}.bias`, [state], spread(0.05));
  };
  const linear = (name, to, from, hasBias = true) => {
    add(`${name}.weight`, [to, from], spread(1 / Math.sqrt(from)));
    if (hasBias) add(`${name}.bias`, [to], spread(0.05));
  };
  const attention = (name) => {
    linear(`${name}.q_proj`, state, state);
    linear(`${name}.k_proj`, state, state, false);
    linear(`${name}.v_proj`, state, state);
    linear(`${name}.out_proj`, state, state);
    norm(`${name}_layer_norm`);
  };
  const block = (name, isDecoder) => {
    attention(`${name}.self_attn`);
    if (isDecoder) attention(`${name}.encoder_attn`);
    linear(`${name}.fc1`, 4 * state, state);
    linear(`${name}.fc2`, state, 4 * state);
    norm(`${name}.final_layer_norm`);
  };
  for (const [name, from] of [
    ['encoder.conv1', melBands],
    ['encoder.conv2', state],
  ]) {
    add(`${name}.weight`, [state, from, 3], spread(1 / Math.sqrt(3 * from)));
    add(`${name}.bias`, [state], spread(0.05));
  }
  add('encoder.embed_positions.weight', [audioContext, state], sinusoids(state));
  for (let i = 0; i < encoderLayers; ++i) block(`encoder.layers.${i}`, false);
  norm('encoder.layer_norm');
  add('decoder.embed_tokens.weight', [vocabularySize, state], spread(0.05));
  add('decoder.embed_positions.weight', [textContext, state], spread(0.05));
  for (let i = 0; i < decoderLayers; ++i) block(`decoder.layers.${i}`, true);
  norm('decoder.layer_norm');
  return list;
}

const float32 = new Float32Array(1);
const float32Bits = new Uint32Array(float32.buffer);

/** The bits of the nearest half-precision number, ties to even. */
function toHalf(value) {
  float32[0] = value;
  const bits = float32Bits[0];
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 0xff) - 112;
  const fraction = bits & 0x7fffff;
  if (exponent >= 31) return sign | 0x7c00;
  if (exponent <= 0) {
    const shift = 14 - exponent;
    if (shift > 24) return sign;
    const full = fraction | 0x800000;
    const half = full >>> shift;
    const rest = full & ((1 << shift) - 1);
    const middle = 1 << (shift - 1);
    return sign | (half + (rest > middle || (rest === middle && half & 1) ? 1 : 0));
  }
  const half = (exponent << 10) | (fraction >>> 13);
  const rest = fraction & 0x1fff;
  return sign | (half + (rest > 0x1000 || (rest === 0x1000 && half & 1) ? 1 : 0));
}

function toHalves(values) {
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < values.length; ++i) halves[i] = toHalf(values[i]);
  return halves;
}

/** Keeps so many bits of each mantissa behind its leading one, rounded. */
function roundMantissas(values, kept) {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const dropped = 23 - kept;
  const middle = 1 << (dropped - 1);
  for (let i = 0; i < bits.length; ++i) bits[i] = ((bits[i] + middle) >>> dropped) << dropped;
}

function writeAll(file, { buffer }) {
  const bytes = new Uint8Array(buffer);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** One tensor at a time, so that memory is that of the largest. */
function writeSafetensors(path, tensors, dtype, seed, mantissaBits) {
  const width = dtype === 'f16' ? 2 : 4;
  const header = { __metadata__: { format: 'pt' } };
  let offset = 0;
  const count = (shape) => shape.reduce((product, side) => product * side, 1);
  for (const { name, shape } of tensors) {
    const end = offset + count(shape) * width;
    header[name] = { dtype: dtype.toUpperCase(), shape, data_offsets: [offset, end] };
    offset = end;
  }
  const text = JSON.stringify(header);
  const padded = Buffer.from(text + ' '.repeat((8 - (Buffer.byteLength(text) % 8)) % 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));

  const random = randomSource(seed);
  const file = openSync(path, 'w');
  writeSync(file, length);
  writeSync(file, padded);
  for (const { shape, fill } of tensors) {
    const values = new Float32Array(count(shape));
    fill(values, random);
    if (mantissaBits !== undefined) roundMantissas(values, mantissaBits);
    writeAll(file, dtype === 'f16' ? toHalves(values) : values);
  }
  closeSync(file);
}

/**
 * Writes the folder. `ranks`: path of a .tiktoken file. `dims`: some instead of the size's own, and `extraTokens` as
 * fine-tuned models have them behind the others; `outliers`: with a few channels far larger than the rest; `mantissaBits`: weights rounded to so many (0 to 22), as those of a
 * model that was quantised once, which LZ4 shrinks as it shrinks no others.
 * @type {(size: string, ranks: string, folder: string, options?: {
 *     dtype?: 'f32' | 'f16';
 *     seed?: number;
 *     outliers?: boolean;
 *     mantissaBits?: number;
 *     dims?: Partial<{
 *       encoderLayers: number;
 *       decoderLayers: number;
 *       melBands: number;
 *       languages: number;
 *       extraTokens: number;
 *     }>;
 *   }) => void}
 */
export function writeRandomModel(
  size,
  ranks,
  folder,
  { dtype = 'f32', seed = 1, dims: changed, outliers = false, mantissaBits } = {},
) {
  if (!sizes[size])
    throw new StepError(`There is no size ${size}.`, `Sizes: ${Object.keys(sizes).join(', ')}.`);
  const dims = { ...sizes[size], ...changed };
  mkdirSync(folder, { recursive: true });
  const tokens = readRanks(ranks);
  // GPT-2's list is the English one; the multilingual list has one token more, the empty one.
  const isMultilingual = tokens.length > whisper.englishTextTokens;
  const id = writeHubVocabulary(folder, tokens, dims.languages);
  const vocabularySize = tokens.length + Object.keys(id).length + dims.extraTokens;

  const shared = {
    bos_token_id: id['<|endoftext|>'],
    eos_token_id: id['<|endoftext|>'],
    pad_token_id: id['<|endoftext|>'],
    decoder_start_token_id: id['<|startoftranscript|>'],
    begin_suppress_tokens: [220, id['<|endoftext|>']],
  };
  const config = {
    architectures: ['WhisperForConditionalGeneration'],
    model_type: 'whisper',
    activation_function: 'gelu',
    d_model: dims.state,
    encoder_layers: dims.encoderLayers,
    encoder_attention_heads: dims.heads,
    encoder_ffn_dim: 4 * dims.state,
    decoder_layers: dims.decoderLayers,
    decoder_attention_heads: dims.heads,
    decoder_ffn_dim: 4 * dims.state,
    num_hidden_layers: dims.encoderLayers,
    num_mel_bins: dims.melBands,
    max_source_positions: audioContext,
    max_target_positions: textContext,
    vocab_size: vocabularySize,
    scale_embedding: false,
    torch_dtype: dtype === 'f16' ? 'float16' : 'float32',
    ...shared,
  };
  const languages = Object.keys(id).filter((text) => /^<\|[a-z]{2,3}\|>$/.test(text));
  const generation = {
    ...shared,
    is_multilingual: isMultilingual,
    max_initial_timestamp_index: 50,
    max_length: textContext,
    no_timestamps_token_id: id['<|notimestamps|>'],
    prev_sot_token_id: id['<|startofprev|>'],
    return_timestamps: false,
    ...(isMultilingual && {
      lang_to_id: Object.fromEntries(languages.map((text) => [text, id[text]])),
      task_to_id: { transcribe: id['<|transcribe|>'], translate: id['<|translate|>'] },
    }),
  };
  writeFileSync(join(folder, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
  writeFileSync(join(folder, 'generation_config.json'), `${JSON.stringify(generation, null, 2)}\n`);
  const plain = tensorList({ ...dims, vocabularySize });
  const blocks = { encoder: dims.encoderLayers, decoder: dims.decoderLayers };
  // Drawn apart from the weights, which stay those of the plain model.
  const tensors = outliers
    ? withOutliers(plain, dims.state, blocks, randomSource(seed + 1))
    : plain;
  writeSafetensors(join(folder, 'model.safetensors'), tensors, dtype, seed, mantissaBits);
}

if (isProgram(import.meta)) {
  await main(() => {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        dtype: { type: 'string', default: 'f32' },
        seed: { type: 'string', default: '1' },
        outliers: { type: 'boolean', default: false },
      },
    });
    const [size, ranks, folder] = positionals;
    if (!folder || !['f32', 'f16'].includes(values.dtype) || !/^\d+$/.test(values.seed)) {
      throw new StepError(
        'Usage: node scripts/random_model.mjs SIZE RANKS.tiktoken FOLDER [--dtype f32|f16] [--seed N] [--outliers]',
      );
    }
    writeRandomModel(size, resolve(ranks), resolve(folder), {
      dtype: values.dtype,
      seed: Number(values.seed),
      outliers: values.outliers,
    });
  });
}
