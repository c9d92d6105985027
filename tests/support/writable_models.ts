// Models for writeModel() that are sound, to be changed.
import { expect } from '@jest/globals';
import type {
  WritableApr1,
  WritableApr2,
  WritableApril,
  WritableModel,
  WritableTensor,
} from '../../web/src/api/write_types.js';
import { smallApril } from './april_writer.js';
import { builtPackage } from './built_package.js';
import { collectedStream } from './collected_stream.js';
import { toHalf } from './halves.js';

export const dims = {
  nVocab: 300,
  nAudioCtx: 6,
  nTextCtx: 8,
  nMels: 80,
  nAudioLayer: 1,
  nTextLayer: 1,
  nAudioHead: 2,
  nTextHead: 2,
  nAudioState: 64,
  nTextState: 64,
};

export const zeros = (count: number): Float32Array => new Float32Array(count);
export const tensor = (change: Partial<WritableTensor> = {}): WritableTensor => ({
  ...{ name: 'weight', dtype: 'f32', shape: [2, 32], data: zeros(64) },
  ...change,
});
export const apr2 = (...tensors: WritableTensor[]): WritableApr2 => ({
  format: 'apr2',
  dims,
  tensors,
});
export const apr1 = (...tensors: WritableTensor[]): WritableApr1 => ({
  format: 'apr1',
  dims,
  tensors,
});

export const networks = {
  encoder: { data: smallApril.networks[0] as Uint8Array },
  decoder: { data: smallApril.networks[1] as Uint8Array },
  joiner: { data: smallApril.networks[2] as Uint8Array },
};
export const params = {
  ...{ batch_size: 1, segment_size: 9, segment_step: 4, mel_features: 80, samplerate: 16000 },
  ...{ frame_shift_ms: 10, frame_length_ms: 25, round_pow2: 1, mel_low: 20, mel_high: 0 },
  ...{ snip_edges: 0, blank_token_id: 0 },
};
const { language, name, description, tokens } = smallApril;
export const april: WritableApril = {
  ...{ language, name, description, tokens, params, networks },
  format: 'april',
};

/** The file that writeModel() puts into a stream. */
export async function written(model: WritableModel): Promise<Uint8Array> {
  const { writeModel } = await builtPackage();
  const { stream, state, bytes } = collectedStream();
  const { byteCount } = await writeModel(stream, model);
  expect([state.isClosed, byteCount]).toEqual([true, bytes().length]);
  return bytes();
}

/** Values of a tensor, and the same in half precision. */
export const values = Float32Array.from({ length: 128 }, (_, i) => Math.sin(i) * (i % 7));
export const halves = Uint16Array.from(values, toHalf);

export const asBytes = (view: ArrayBufferView): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** In pieces of this size. */
export function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
