// Opens the source that a caller passes. Callers without types may pass anything.
import { invalidOption } from '../../src/api/errors.js';
import { ElementSound } from './element_sound.js';
import { MediaClock } from './media_clock.js';
import type { SoundMaker } from './sound.js';
import { SampleSound } from './sample_sound.js';
import { StreamSound } from './stream_sound.js';
import type { ListenSource } from './types.js';

const usualRate = 16000;

const has = <Name extends PropertyKey>(
  value: unknown,
  name: Name,
): value is Readonly<Record<Name, unknown>> =>
  typeof value === 'object' && value !== null && name in value;

/** Throws SusurrusError for anything but a source. */
export function soundOf(source: ListenSource): SoundMaker {
  if (isMaker(source)) return source;
  if (typeof MediaStream !== 'undefined' && (source as unknown) instanceof MediaStream) {
    const stream = source as MediaStream;
    return { begin: (assets) => new StreamSound(stream, assets) };
  }
  if (typeof MediaStreamTrack !== 'undefined' && (source as unknown) instanceof MediaStreamTrack) {
    const track = source as MediaStreamTrack;
    if (track.kind !== 'audio') {
      throw invalidOption('source', 'a track of the kind "audio"', track.kind);
    }
    return { begin: (assets) => new StreamSound(new MediaStream([track]), assets) };
  }
  if (typeof HTMLMediaElement !== 'undefined' && (source as unknown) instanceof HTMLMediaElement) {
    const media = source as HTMLMediaElement;
    return { begin: (assets) => new ElementSound(media, new MediaClock(), assets) };
  }
  const { stream, sampleRate, channels } = has(source, 'stream')
    ? { channels: 1, ...source }
    : { stream: source, sampleRate: usualRate, channels: 1 };
  if (!has(stream, Symbol.asyncIterator) && !has(stream, 'getReader')) {
    throw invalidOption(
      'source',
      'microphone(), tabAudio(), a MediaStream or an audio track of one, an audio or video element, or a stream of samples',
      source,
    );
  }
  if (!Number.isInteger(channels) || channels < 1) {
    throw invalidOption('channels', 'the number of channels, at least 1', channels);
  }
  return { begin: () => new SampleSound(stream as never, sampleRate, channels) };
}

const isMaker = (source: unknown): source is SoundMaker => has(source, 'begin');
