// Audio of a case: parts of recordings, silence and noise, one after the other.
import { readFileSync } from 'node:fs';
import { whisper } from '../facts/read_facts.mjs';
import { Random } from './random.mjs';
import { joined } from '../joined.mjs';

/**
 * @typedef {| { readonly recording: string; readonly start: number; readonly samples: number }
 *   | { readonly zeros: number }
 *   | {
 *       readonly noise: {
 *         readonly seed: number;
 *         readonly decibels: number;
 *         readonly samples: number;
 *       };
 *     }} AudioPart
 */
/**
 * @typedef {{
 *   readonly parts: readonly AudioPart[];
 *   readonly gain: number;
 *   readonly speed: number;
 * }} AudioRecipe
 */

export const { sampleRate } = whisper;

/** Raw little-endian f32 samples of a file. */
export function readSamples(path) {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function partSamples(part, recordings) {
  if (part.zeros !== undefined) return new Float32Array(part.zeros);
  if (part.noise !== undefined) {
    const random = new Random(`noise/${part.noise.seed}`);
    const amplitude = Math.sqrt(3) * 10 ** (part.noise.decibels / 20);
    return Float32Array.from({ length: part.noise.samples }, () =>
      random.uniform(-amplitude, amplitude),
    );
  }
  return recordings.get(part.recording).subarray(part.start, part.start + part.samples);
}

/** `samples` played `speed` times as fast, by linear interpolation. */
function atSpeed(samples, speed) {
  const last = samples.length - 1;
  return Float32Array.from({ length: Math.ceil(samples.length / speed) }, (_, i) => {
    const place = Math.min(i * speed, last);
    const left = Math.floor(place);
    const right = Math.min(left + 1, last);
    return samples[left] + (place - left) * (samples[right] - samples[left]);
  });
}

/**
 * Samples of `audio`: { parts, gain, speed }, each part { recording, start, samples }, { zeros } or { noise: { seed, decibels,
 * samples } }. `recordings`: name → samples.
 * @type {(audio: AudioRecipe, recordings: ReadonlyMap<string, Float32Array>) => Float32Array}
 */
export function caseSamples(audio, recordings) {
  const samples = joined(audio.parts.map((part) => partSamples(part, recordings)));
  const played = audio.speed === 1 ? samples : atSpeed(samples, audio.speed);
  return audio.gain === 1 ? played : played.map((sample) => sample * audio.gain);
}
