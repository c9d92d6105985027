// Golden models as whisper.cpp's .bin files, written down from the format's description.
import { readRanks } from '../../scripts/hub_vocabulary.mjs';
import { quantise, type BlockType } from './block_quantiser.js';
import {
  goldenDims,
  goldenFilterbank,
  goldenRanks,
  goldenTensors,
  type GoldenTensor,
} from './golden_tensors.js';
import type { GoldenModel } from './goldens.js';
import { halves } from './halves.js';

export type GgmlType = 'f32' | 'f16' | BlockType;

/** The numbers of types differ between the file's own field and the tensors'. */
const fileTypes = { f32: 0, f16: 1, q4_0: 2002, q4_1: 2003, q8_0: 2007, q5_0: 2008, q5_1: 2009 };
export const tensorTypes = { f32: 0, f16: 1, q4_0: 2, q4_1: 3, q5_0: 6, q5_1: 7, q8_0: 8 };

const isTable = (name: string): boolean => name.endsWith('positional_embedding');
const isConvBias = (name: string): boolean => /conv\d\.bias$/.test(name);

/** What whisper.cpp stores a tensor as, in a file of this type. */
export function storedType({ name, shape }: GoldenTensor, type: GgmlType): GgmlType {
  if (shape.length === 1 || isTable(name)) return 'f32';
  return shape.length === 3 && type !== 'f32' ? 'f16' : type;
}

export function storedBytes(values: Float32Array, type: GgmlType): Uint8Array {
  if (type === 'f32') return new Uint8Array(values.slice().buffer);
  if (type === 'f16') return new Uint8Array(halves(values).buffer);
  return quantise(type, values);
}

const written = new Map<string, Uint8Array>();

/** The bytes are shared between tests: copy them before changing them. */
export function ggmlFile(model: GoldenModel, type: GgmlType): Uint8Array {
  const key = `${model} ${type}`;
  const file = written.get(key) ?? writeFile(model, type);
  written.set(key, file);
  return file;
}

function writeFile(model: GoldenModel, type: GgmlType): Uint8Array {
  const dims = goldenDims(model);
  const tokens = readRanks(goldenRanks(model)).map((token) => Buffer.from(token, 'latin1'));
  // Published English files hold the end of text as their last token.
  if (model === 'micro-en') tokens.push(Buffer.from('<|endoftext|>'));
  const ints = (...values: number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer);
  const parts: Uint8Array[] = [
    Buffer.from('lmgg'),
    ints(dims.n_vocab, dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head),
    ints(dims.n_audio_layer, dims.n_text_ctx, dims.n_text_state, dims.n_text_head),
    ints(dims.n_text_layer, dims.n_mels, fileTypes[type]),
    ints(dims.n_mels, 201),
    storedBytes(goldenFilterbank(dims.n_mels), 'f32'),
    ints(tokens.length),
    ...tokens.flatMap((token) => [ints(token.length), token]),
  ];
  for (const tensor of goldenTensors(model)) {
    const { name, shape, values } = tensor;
    const stored = storedType(tensor, type);
    const ne = isConvBias(name) ? [1, ...shape] : [...shape].reverse();
    parts.push(
      ints(ne.length, name.length, tensorTypes[stored], ...ne),
      Buffer.from(name),
      storedBytes(values, stored),
    );
  }
  return Buffer.concat(parts);
}
