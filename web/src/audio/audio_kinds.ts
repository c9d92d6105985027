// Recognises the kinds of audio that a caller passes. Callers without types may pass anything.
import type {
  AudioBufferLike,
  AudioInput,
  AudioStream,
  MediaElementLike,
  MediaStreamLike,
  MediaStreamTrackLike,
  PcmAudio,
  RecordingStream,
  SampleArray,
  SampleStream,
} from '../api/types.js';
import { refuseDetached } from '../api/detached.js';
import { invalidOption } from '../api/errors.js';

const isObject = (audio: unknown): audio is object => typeof audio === 'object' && audio !== null;

/** Each frame of a page has classes of its own. */
const isNamed = (audio: unknown, name: string): boolean =>
  Object.prototype.toString.call(audio) === `[object ${name}]`;

export const isFloats = (audio: unknown): audio is Float32Array => isNamed(audio, 'Float32Array');

export const isSamples = (audio: unknown): audio is SampleArray =>
  isFloats(audio) || isNamed(audio, 'Int16Array');

export const isBlob = (audio: unknown): audio is Blob =>
  typeof Blob !== 'undefined' && audio instanceof Blob;

export const isBytes = (audio: unknown): audio is ArrayBuffer | Uint8Array =>
  audio instanceof ArrayBuffer || audio instanceof Uint8Array;

export const isAddress = (audio: unknown): audio is string | URL =>
  typeof audio === 'string' || audio instanceof URL;

export const isResponse = (audio: unknown): audio is Response =>
  typeof Response !== 'undefined' && audio instanceof Response;

export const isAudioBuffer = (audio: unknown): audio is AudioBufferLike =>
  isObject(audio) && 'getChannelData' in audio && 'numberOfChannels' in audio;

export const isPcm = (audio: unknown): audio is PcmAudio =>
  isObject(audio) &&
  'sampleRate' in audio &&
  'samples' in audio &&
  (isSamples(audio.samples) || Array.isArray(audio.samples));

export const isMediaElement = (audio: unknown): audio is MediaElementLike =>
  isObject(audio) && 'currentSrc' in audio && 'srcObject' in audio;

export const isMediaStream = (audio: unknown): audio is MediaStreamLike =>
  isObject(audio) && 'getAudioTracks' in audio;

export const isMediaTrack = (audio: unknown): audio is MediaStreamTrackLike =>
  isObject(audio) && 'kind' in audio && 'readyState' in audio && 'enabled' in audio;

export type AnyStream = AsyncIterable<unknown> | ReadableStream<unknown>;

export const isReadableStream = (audio: unknown): audio is ReadableStream<unknown> =>
  typeof ReadableStream !== 'undefined' && audio instanceof ReadableStream;

/** Whether it is a stream, of samples or of a file's bytes; only its chunks show which. */
export const isStream = (audio: unknown): audio is AnyStream =>
  isReadableStream(audio) || (isObject(audio) && Symbol.asyncIterator in audio);

export const isSampleStream = (audio: unknown): audio is SampleStream =>
  isObject(audio) && 'stream' in audio && 'sampleRate' in audio && isStream(audio.stream);

/** Whether its caller says that the stream is a recording. */
export const isRecordingStream = (audio: unknown): audio is RecordingStream =>
  isSampleStream(audio) && 'isRecording' in audio && audio.isRecording === true;

/** Whether it may have no known end: then only transcribe() takes it. */
export const isLive = (audio: AudioInput | AudioStream): audio is AudioStream =>
  (isSampleStream(audio) && !isRecordingStream(audio)) ||
  isMediaStream(audio) ||
  isMediaTrack(audio) ||
  isStream(audio) ||
  (isMediaElement(audio) && isMediaStream(audio.srcObject));

/** Rejects anything but audio, before any work. `takesStreams`: streams of samples are audio, too. */
export function checkAudio(audio: AudioInput | AudioStream, takesStreams: boolean): void {
  if (isPcm(audio)) {
    channelsOf(audio);
    return;
  }
  if (isSamples(audio) || isBytes(audio)) {
    refuseDetached(audio, 'audio');
    return;
  }
  if (isSampleStream(audio) && (takesStreams || isRecordingStream(audio))) {
    checkShape(audio.sampleRate, audio.channels ?? 1);
    checkRecording(audio);
    return;
  }
  if (isMediaTrack(audio) && takesStreams) {
    if (audio.kind === 'audio') return;
    throw invalidOption('audio', 'a track of the kind "audio"', audio.kind);
  }
  const isRecording =
    isAudioBuffer(audio) ||
    isBlob(audio) ||
    isAddress(audio) ||
    isResponse(audio) ||
    isStream(audio) ||
    isMediaElement(audio);
  if (isRecording || (takesStreams && isMediaStream(audio))) return;
  throw invalidOption(
    'audio',
    'samples (a Float32Array or Int16Array at 16 kHz, or {samples, sampleRate, channels}), an AudioBuffer, or an audio file (bytes, ' +
      `Blob, URL, Response or stream)${takesStreams ? ', a stream of samples, a MediaStream or an audio track of one' : ''}`,
    audio,
  );
}

function checkRecording(audio: SampleStream): void {
  const { isRecording, duration }: Partial<Record<keyof RecordingStream, unknown>> = audio;
  if (isRecording !== undefined && typeof isRecording !== 'boolean') {
    throw invalidOption('isRecording', 'true for a recording', isRecording);
  }
  if (duration !== undefined && !(Number.isFinite(duration) && (duration as number) >= 0)) {
    throw invalidOption('duration', 'about how many seconds there are', duration);
  }
}

export function checkShape(sampleRate: unknown, channels: unknown): void {
  if (!Number.isInteger(sampleRate) || (sampleRate as number) <= 0) {
    throw invalidOption('sampleRate', 'a whole number of samples a second', sampleRate);
  }
  if (!Number.isInteger(channels) || (channels as number) < 1) {
    throw invalidOption('channels', 'the number of channels, at least 1', channels);
  }
}

/** The number of channels, checked. */
export function channelsOf({ samples, sampleRate, channels }: PcmAudio): number {
  const planes = isSamples(samples) ? undefined : samples;
  const count = channels ?? planes?.length ?? 1;
  checkShape(sampleRate, count);
  for (const plane of planes ?? [samples as SampleArray]) {
    if (isSamples(plane)) refuseDetached(plane, 'audio');
  }
  if (isSamples(samples)) {
    if (samples.length % count !== 0) {
      throw invalidOption('samples', `a multiple of ${count} samples long`, samples.length);
    }
    return count;
  }
  if (samples.length !== count) {
    throw invalidOption('channels', 'the number of channels, at least 1', channels ?? count);
  }
  const length = samples[0]?.length ?? 0;
  if (samples.some((plane) => !isSamples(plane) || plane.length !== length)) {
    throw invalidOption('samples', 'Float32Arrays of one length, one for each channel', samples);
  }
  return count;
}
