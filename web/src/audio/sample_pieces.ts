// Samples in memory as interleaved pieces, so that no second copy of all of them is made.
import type { PcmAudio, SampleArray } from '../api/types.js';
import { refuseDetached } from '../api/detached.js';
import type { DecodedPiece } from '../protocol/audio.js';
import { channelsOf, isFloats, isSamples } from './audio_kinds.js';

/** Samples of a piece, of all channels. */
const pieceSamples = 1 << 18;

/** Samples as floats; integers are scaled to a full scale of 1. */
export function asFloats(samples: SampleArray): Float32Array {
  if (isFloats(samples)) return samples;
  const floats = new Float32Array(samples.length);
  for (let i = 0; i < samples.length; ++i) floats[i] = (samples[i] ?? 0) / 32768;
  return floats;
}

/** Samples of each channel. */
const framesOf = ({ samples }: PcmAudio, channels: number): number =>
  isSamples(samples) ? samples.length / channels : (samples[0]?.length ?? 0);

export const secondsOf = (audio: PcmAudio): number =>
  framesOf(audio, channelsOf(audio)) / audio.sampleRate;

export function* piecesOf(audio: PcmAudio): Generator<DecodedPiece, undefined> {
  const channels = channelsOf(audio);
  const { samples, sampleRate } = audio;
  const atOnce = Math.max(1, Math.floor(pieceSamples / channels));
  const frames = framesOf(audio, channels);
  for (let begin = 0; begin < frames; begin += atOnce) {
    const end = Math.min(frames, begin + atOnce);
    for (const plane of isSamples(samples) ? [samples] : samples) refuseDetached(plane, 'audio');
    const piece = isSamples(samples)
      ? asFloats(samples.subarray(begin * channels, end * channels))
      : interleaved(samples, begin, end);
    yield { samples: piece, sampleRate, channels };
  }
}

function interleaved(planes: readonly SampleArray[], begin: number, end: number): Float32Array {
  const channels = planes.length;
  const frames = new Float32Array((end - begin) * channels);
  planes.forEach((plane, channel) => {
    const part = asFloats(plane.subarray(begin, end));
    for (let i = 0; i < part.length; ++i) frames[i * channels + channel] = part[i] ?? 0;
  });
  return frames;
}
