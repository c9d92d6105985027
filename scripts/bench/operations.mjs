// Operations and bytes that Whisper's arithmetic asks for, from its dimensions (the names of model.info.dims). Two
// operations a multiply-accumulate, in matrix products only.
import { readFacts } from '../facts/read_facts.mjs';

/** @import { Dimensions } from '../../web/src/api/types.js' */
/** @typedef {Omit<Dimensions, 'nAudioHead' | 'nTextHead'>} Dims */

/**
 * Operations of the encoder over one window; crossOperations() counts the keys and values that the decoder derives from its output.
 * @type {(dims: Dims) => {
 *   convolutions: number;
 *   linear: number;
 *   attention: number;
 *   total: number;
 * }}
 */
export function encoderOperations({ nAudioCtx: n, nAudioState: s, nMels, nAudioLayer }) {
  const convolutions = 2 * (2 * n * s * nMels * 3 + n * s * s * 3);
  const linear = nAudioLayer * 2 * n * 12 * s * s;
  const attention = nAudioLayer * 2 * 2 * n * n * s;
  return { convolutions, linear, attention, total: convolutions + linear + attention };
}

/**
 * Operations for the keys and values of cross-attention, once a window.
 * @type {(dims: Dims) => number}
 */
export function crossOperations({ nAudioCtx: n, nAudioState: s, nTextLayer }) {
  return nTextLayer * 2 * 2 * n * s * s;
}

/**
 * Operations for one token, without self-attention, which grows with the text.
 * @type {(dims: Dims) => number}
 */
export function tokenOperations(dims) {
  return 2 * (tokenWeights(dims) + dims.nTextLayer * 2 * dims.nAudioCtx * dims.nTextState);
}

/**
 * Weights that each token reads: the decoder without cross-attention's keys and values, and the vocabulary.
 * @type {(dims: Dims) => number}
 */
export function tokenWeights({ nVocab, nTextState: s, nTextLayer }) {
  return nTextLayer * 14 * s * s + nVocab * s;
}

const isBlockType = (dtype) =>
  readFacts('dtypes').dtypes.some(
    ({ name, elementsPerBlock }) => name === dtype && elementsPerBlock > 1,
  );

const bytesEach = Object.fromEntries(
  readFacts('dtypes').dtypes.map(({ name, bytesPerBlock, elementsPerBlock }) => [
    name,
    bytesPerBlock / elementsPerBlock,
  ]),
);

/**
 * Bytes that one token reads: weights as the file stores them, and the keys and values of cross-attention, which are what
 * `kvCacheBytes` holds besides those of self-attention in f32.
 * @type {(dims: Dims, dtype: string, kvCacheBytes: number) => number}
 */
export function tokenBytes(dims, dtype, kvCacheBytes) {
  const { nTextLayer, nTextCtx, nTextState } = dims;
  const cross = kvCacheBytes - nTextLayer * 2 * nTextCtx * nTextState * 4;
  return tokenWeights(dims) * (bytesEach[dtype] ?? NaN) + cross;
}

/**
 * The least time, in ms, in which the encoder's matrix products could be done at the measured limits (operations a
 * second): everything of our block types at the int8 rate, ONNX Runtime's int8 but for its attention, floats at that of f32.
 * @type {(dims: Dims, dtype: string, limits: { f32: number; int8: number }) => number}
 */
export function encoderFloorMs(dims, dtype, { f32, int8 }) {
  const { convolutions, linear, attention } = encoderOperations(dims);
  const rate = isBlockType(dtype) || dtype.startsWith('int') ? int8 : f32;
  const attentionRate = isBlockType(dtype) ? int8 : f32;
  return 1000 * ((convolutions + linear) / rate + attention / attentionRate);
}
