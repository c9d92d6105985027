// Models that a person brought as files, or converted here.
import type { ModelInfo } from '../../src/index.js';
import { FileFolder } from '../shell/file_folder.js';

/** Beside the folder of the package, which knows the models that it downloads. */
export const ownModels = new FileFolder('susurrus-own-models');

/** The encoder's layers tell the sizes of Whisper apart, but for the large ones. */
const sizes: Readonly<Record<number, string>> = { 4: 'tiny', 6: 'base', 12: 'small', 24: 'medium' };

/** What a converted model is called: "tiny.en (from model.bin)". */
export function convertedName({ dims, multilingual }: ModelInfo, from: string): string {
  const layers = dims?.nAudioLayer ?? 0;
  const size = layers === 32 ? 'large' : sizes[layers];
  const stem = from.replace(/\.[^.]*$/, '');
  const known = size && `${size}${multilingual || layers === 32 ? '' : '.en'}`;
  return `${known ?? stem} (from ${from})`;
}
