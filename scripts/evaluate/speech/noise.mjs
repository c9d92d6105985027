// Noise from a seed, and speech in it.
import { Random } from '../../reference/random.mjs';

/** Colour → what returns the next sample of noise drawn from a Random. */
export const colours = {
  white(random) {
    return () => random.uniform(-1, 1);
  },
  /** 3 dB less each octave: three one-pole filters side by side (Paul Kellet's economy filter). */
  pink(random) {
    const poles = [0.99765, 0.963, 0.57];
    const gains = [0.099046, 0.2965164, 1.0526913];
    const states = [0, 0, 0];
    return () => {
      const white = random.uniform(-1, 1);
      let sum = 0.1848 * white;
      for (let i = 0; i < 3; ++i) sum += states[i] = poles[i] * states[i] + gains[i] * white;
      return sum;
    };
  },
  /** 6 dB less each octave above 25 Hz. */
  brown(random) {
    let state = 0;
    return () => (state = 0.99 * state + random.uniform(-1, 1));
  },
};

const power = (samples) =>
  samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;

/**
 * `speech` with noise so many `decibels` below it (mean powers of the whole recording).
 * @type {(speech: Float32Array, colour: 'white' | 'pink', decibels: number, seed: string) => Float32Array}
 */
export function withNoise(speech, colour, decibels, seed) {
  const next = colours[colour](new Random(`noise/${seed}`));
  const noise = Float32Array.from(speech, next);
  const gain = Math.sqrt(power(speech) / power(noise) / 10 ** (decibels / 10));
  return speech.map((sample, i) => sample + gain * noise[i]);
}
