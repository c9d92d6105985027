// Sounds without speech, 16 kHz mono.
import { whisper } from '../facts/read_facts.mjs';
const { sampleRate } = whisper;

function fill(seconds, sampleAt) {
  return Float32Array.from({ length: Math.round(seconds * sampleRate) }, (_, i) => sampleAt(i));
}

/** Repeatable white noise of a root mean square `decibels` below full scale. */
function noise(seconds, decibels) {
  const peak = 10 ** (decibels / 20) * Math.sqrt(3);
  let state = 12345;
  return fill(seconds, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return peak * (state / 2 ** 31 - 1);
  });
}

function tones(seconds, frequencies) {
  const amplitude = 0.3 / frequencies.length;
  return fill(seconds, (i) =>
    frequencies.reduce(
      (sum, hertz) => sum + amplitude * Math.sin((2 * Math.PI * hertz * i) / sampleRate),
      0,
    ),
  );
}

/** Name → samples. */
export const speechless = {
  'digital silence, 10 s': () => fill(10, () => 0),
  'digital silence, 40 s': () => fill(40, () => 0),
  ...Object.fromEntries(
    [-20, -30, -40, -50, -60].map((decibels) => [
      `noise at ${decibels} dB, 10 s`,
      () => noise(10, decibels),
    ]),
  ),
  'tone of 440 Hz, 10 s': () => tones(10, [440]),
  'chord of C major, 10 s': () => tones(10, [261.63, 329.63, 392]),
  'chord of A minor, 10 s': () => tones(10, [220, 261.63, 329.63]),
};
