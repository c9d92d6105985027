// A model file of whisper.cpp's own format, with Q8_0 weights, from a hub folder with random weights.
import { closeSync, openSync, writeSync } from 'node:fs';

/** @import { Dims } from './operations.mjs' */

const [f32, f16, q8] = [0, 1, 8];

const parts = [
  [/^encoder\.embed_positions\.weight$/, 'encoder.positional_embedding'],
  [/^decoder\.embed_positions\.weight$/, 'decoder.positional_embedding'],
  [/^decoder\.embed_tokens/, 'decoder.token_embedding'],
  [/^encoder\.layer_norm/, 'encoder.ln_post'],
  [/^decoder\.layer_norm/, 'decoder.ln'],
  [/\.layers\./, '.blocks.'],
  [/\.self_attn_layer_norm/, '.attn_ln'],
  [/\.encoder_attn_layer_norm/, '.cross_attn_ln'],
  [/\.final_layer_norm/, '.mlp_ln'],
  [/\.self_attn\./, '.attn.'],
  [/\.encoder_attn\./, '.cross_attn.'],
  [/\.q_proj/, '.query'],
  [/\.k_proj/, '.key'],
  [/\.v_proj/, '.value'],
  [/\.out_proj/, '.out'],
  [/\.fc1/, '.mlp.0'],
  [/\.fc2/, '.mlp.2'],
];
/**
 * The name that whisper.cpp knows a tensor of the hub by.
 * @type {(name: string) => string}
 */
export const ggmlName = (name) =>
  parts.reduce((result, [from, to]) => result.replace(from, to), name);

const bits = new DataView(new ArrayBuffer(4));
/** Halves of small normal numbers, rounded towards zero: exact enough for random weights. */
function toHalf(value) {
  bits.setFloat32(0, value);
  const word = bits.getUint32(0);
  const magnitude = (word & 0x7fffffff) - (112 << 23);
  return ((word >>> 16) & 0x8000) | (magnitude < 1 << 23 ? 0 : magnitude >>> 13);
}

function q8Blocks(values) {
  const bytes = Buffer.alloc((values.length / 32) * 34);
  for (let block = 0; block * 32 < values.length; ++block) {
    const group = values.subarray(block * 32, block * 32 + 32);
    const scale = group.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) / 127;
    bytes.writeUInt16LE(toHalf(scale), block * 34);
    group.forEach((value, i) =>
      bytes.writeInt8(Math.round(value / (scale || 1)), block * 34 + 2 + i),
    );
  }
  return bytes;
}

function encoded(name, shape, values) {
  if (shape.length === 3) return [f16, Buffer.from(Uint16Array.from(values, toHalf).buffer)];
  if (shape.length === 2 && !name.includes('positional')) return [q8, q8Blocks(values)];
  return [f32, Buffer.from(values.buffer, values.byteOffset, values.byteLength)];
}

/**
 * Writes the file. `weights`: openSafetensors(); `tokens`: texts of one character a byte; `filterbank`: [nMels × 201].
 * The decoder's last norm and the row of `endToken` are made such that the text ends as soon as it may: a whole call is
 * then loading, mel, encoder and a few tokens.
 * @type {(path: string, dims: Dims & { readonly nAudioHead: number; readonly nTextHead: number }, weights: {
 *     readonly names: readonly string[];
 *     tensor(name: string): { shape: readonly number[]; values: Float32Array };
 *   }, tokens: readonly string[], filterbank: Float32Array, endToken: number) => void}
 */
export function writeGgmlFile(path, dims, weights, tokens, filterbank, endToken) {
  const file = openSync(path, 'w');
  const integers = (...list) => writeSync(file, Buffer.from(Int32Array.from(list).buffer));
  const { nVocab, nAudioCtx, nAudioState, nAudioHead, nAudioLayer } = dims;
  const { nTextCtx, nTextState, nTextHead, nTextLayer, nMels } = dims;
  integers(0x67676d6c, nVocab, nAudioCtx, nAudioState, nAudioHead, nAudioLayer);
  integers(nTextCtx, nTextState, nTextHead, nTextLayer, nMels, 2007);
  integers(nMels, filterbank.length / nMels);
  writeSync(file, Buffer.from(filterbank.buffer, filterbank.byteOffset, filterbank.byteLength));
  integers(tokens.length);
  for (const token of tokens) {
    integers(token.length);
    writeSync(file, Buffer.from(token, 'latin1'));
  }
  for (const hubName of weights.names) {
    const { shape, values } = weights.tensor(hubName);
    const name = ggmlName(hubName.replace(/^model\./, ''));
    if (name === 'decoder.ln.weight') values.fill(0);
    if (name === 'decoder.ln.bias') values.fill(1);
    if (name === 'decoder.token_embedding.weight') {
      values.fill(1, endToken * nTextState, (endToken + 1) * nTextState);
    }
    const [type, bytes] = encoded(name, shape, values);
    const sides = /conv\d\.bias$/.test(name) ? [1, ...shape] : [...shape].reverse();
    integers(sides.length, name.length, type, ...sides);
    writeSync(file, Buffer.from(name, 'latin1'));
    writeSync(file, bytes);
  }
  closeSync(file);
}
