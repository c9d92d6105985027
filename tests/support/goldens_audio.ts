import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedJson } from './goldens.js';
import { sharedFolder } from './shared_folder.js';
import { joined } from '../../web/src/api/joined.js';

interface Recipe {
  readonly parts: readonly ({ file: string; start: number; n: number } | { zeros: number })[];
}

const windowSamples = 480_000;

/** Samples of a 16 kHz mono s16 WAV file of the shared folder. */
export function wavSamples(path: string): Float32Array {
  const bytes = readFileSync(join(sharedFolder, path));
  let at = 12;
  while (bytes.toString('latin1', at, at + 4) !== 'data') {
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
    if (at + 8 > bytes.length) throw new Error(`${path} has no data chunk`);
  }
  const count = bytes.readUInt32LE(at + 4) / 2;
  return Float32Array.from({ length: count }, (_, i) => bytes.readInt16LE(at + 8 + 2 * i) / 32768);
}

function impulse(): Float32Array {
  const samples = new Float32Array(windowSamples);
  samples[0] = 1;
  samples[5000] = -1;
  samples[windowSamples - 1] = 0.5;
  return samples;
}

function fromRecipe(recipe: Recipe): Float32Array {
  const parts = recipe.parts.map((part) => {
    if ('zeros' in part) return new Float32Array(part.zeros);
    return wavSamples(`golden/${part.file}`).subarray(part.start, part.start + part.n);
  });
  return joined(parts, Float32Array);
}

const known = new Map<string, Float32Array>();

/** An audio of the goldens by its name: a file, a recipe, or one of the two made signals. */
export function goldenAudio(name: string): Float32Array {
  let samples = known.get(name);
  if (samples === undefined) {
    const recipes = sharedJson('golden/audio/recipes.json') as Record<string, Recipe>;
    const recipe = recipes[name];
    if (recipe !== undefined) samples = fromRecipe(recipe);
    else if (name === 'silence') samples = new Float32Array(windowSamples);
    else if (name === 'impulse') samples = impulse();
    else samples = wavSamples(`golden/audio/${name}.wav`);
    known.set(name, samples);
  }
  return samples;
}
