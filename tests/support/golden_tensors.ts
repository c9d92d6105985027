import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GoldenModel } from './goldens.js';
import { sharedJson } from './goldens.js';
import { fromHalf } from './halves.js';
import { sharedFolder } from './shared_folder.js';
import type { WhisperDims } from './tiny_whisper.js';

export interface GoldenTensor {
  /** OpenAI's. */
  readonly name: string;
  /** Outermost first. */
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const known = new Map<GoldenModel, readonly GoldenTensor[]>();

/** The weights of a golden model, which are halves all of them. */
export function goldenTensors(model: GoldenModel): readonly GoldenTensor[] {
  const tensors = known.get(model) ?? readTensors(model);
  known.set(model, tensors);
  return tensors;
}

function readTensors(model: GoldenModel): GoldenTensor[] {
  const file = readFileSync(join(sharedFolder, `golden/models/${model}/model.safetensors`));
  const length = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + length)) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  return Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [begin, end],
        },
      ]) => {
        if (dtype !== 'F16') throw new Error(`${name} is ${dtype}`);
        const values = new Float32Array((end - begin) / 2);
        for (let i = 0; i < values.length; ++i) {
          values[i] = fromHalf(file.readUInt16LE(8 + length + begin + 2 * i));
        }
        return { name, shape, values };
      },
    );
}

export const goldenDims = (model: GoldenModel): WhisperDims =>
  sharedJson(`golden/models/${model}/dims.json`) as WhisperDims;

export const goldenRanks = (model: GoldenModel): string =>
  join(sharedFolder, `golden/tokenizer/${model === 'micro-en' ? 'gpt2' : 'multilingual'}.tiktoken`);

/** [nMels, 201] of the goldens. */
export function goldenFilterbank(nMels: number): Float32Array {
  const file = readFileSync(join(sharedFolder, `golden/mel/mel_filters_${nMels}.npy`));
  const header = 10 + file.readUInt16LE(8);
  return Float32Array.from({ length: (file.length - header) / 4 }, (_, i) =>
    file.readFloatLE(header + 4 * i),
  );
}
