// Decoded blocks of any length become pieces of one size, with the encoder's padding cut off.
import type { DecodedPiece } from '../../src/protocol/audio.js';

/** Samples of a piece, of all channels: a mebibyte. Decoders make blocks of some thousand. */
export const pieceSamples = 1 << 18;

/** What a decoder gives at once: an array for each channel, all of one length. Good until the next one is asked for. */
export interface Block {
  readonly planes: readonly Float32Array[];
  readonly sampleRate: number;
}

/** What does not belong to the recording, in frames of the decoder's rate. */
export interface Padding {
  /** Frames before its start. */
  readonly start: (sampleRate: number) => number;
  /** Frames of the recording without the padding at both ends; Infinity while its end is not known. */
  readonly length: (sampleRate: number) => number;
}

export const noPadding: Padding = { start: () => 0, length: () => Infinity };

/** Memory for pieces that were used. */
export type Spent = Float32Array[];

/** Memory for a piece of `channels`, from what was used where it has the right size. */
function memoryFor(channels: number, spent: Spent): Float32Array {
  const length = pieceSamples - (pieceSamples % Math.max(1, channels));
  for (let memory = spent.pop(); memory; memory = spent.pop()) {
    if (memory.length === length) return memory;
  }
  return new Float32Array(length);
}

/** Puts blocks together; a piece ends early where the rate or the number of channels changes. */
export async function* inPieces(
  blocks: AsyncIterable<Block>,
  padding: Padding,
  spent: Spent,
): AsyncGenerator<DecodedPiece, undefined> {
  let samples: Float32Array | undefined;
  let filled = 0;
  let [sampleRate, channels] = [0, 0];
  /** Frames that came before the block, padding among them. */
  let position = 0;
  const taken = (whole: Float32Array): DecodedPiece => {
    const piece = filled === whole.length ? whole : whole.slice(0, filled);
    samples = undefined;
    filled = 0;
    return { samples: piece, sampleRate, channels };
  };
  for await (const { planes, sampleRate: rate } of blocks) {
    if (rate !== sampleRate || planes.length !== channels) {
      if (samples && filled > 0) yield taken(samples);
      [sampleRate, channels] = [rate, planes.length];
    }
    const length = planes[0]?.length ?? 0;
    const first = padding.start(rate);
    const begin = Math.min(length, Math.max(0, first - position));
    const end = Math.max(begin, Math.min(length, first + padding.length(rate) - position));
    position += length;
    for (let at = begin; at < end;) {
      samples ??= memoryFor(channels, spent);
      const count = Math.min(end - at, (samples.length - filled) / channels);
      interleave(planes, at, count, samples, filled);
      at += count;
      filled += count * channels;
      if (filled === samples.length) yield taken(samples);
    }
  }
  if (samples && filled > 0) yield taken(samples);
}

function interleave(
  planes: readonly Float32Array[],
  from: number,
  count: number,
  samples: Float32Array,
  to: number,
): void {
  const channels = planes.length;
  planes.forEach((plane, channel) => {
    for (let i = 0; i < count; ++i) samples[to + i * channels + channel] = plane[from + i] ?? 0;
  });
}
