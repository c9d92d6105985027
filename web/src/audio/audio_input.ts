// Converts every kind of audio input to 16 kHz mono.
import type { AudioBufferLike, AudioInput, PcmAudio } from '../api/types.js';
import type { AudioToConvert, EngineLink } from '../protocol/engine.js';
import { invalidOption } from '../api/errors.js';
import type { Platform } from '../platform/platform.js';
import { YieldController } from '../wasm/yield_controller.js';

/** Samples that are put in order between two steps. */
const samplesBetween = 1 << 18;

/** Samples at 16 kHz; a Float32Array is taken as it is, and anything else becomes a new one. */
export async function toSamples(
  audio: AudioInput,
  engine: EngineLink,
  platform: Platform,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  if (audio instanceof Float32Array) return audio;
  const { convertible, isOwn } = await toConvertible(audio, platform, signal);
  return engine.call('convertAudio', convertible, { signal, givesAway: isOwn });
}

/** Refuses anything but audio, before any work. */
export function checkAudio(audio: AudioInput): void {
  if (audio instanceof Float32Array || isBytes(audio) || isAudioBuffer(audio)) return;
  if (isPcm(audio)) {
    checkPcm(audio);
    return;
  }
  throw invalidOption(
    'audio',
    'a Float32Array at 16 kHz, {samples, sampleRate, channels}, an AudioBuffer, or the bytes of an audio file',
    audio,
  );
}

interface Convertible {
  readonly convertible: AudioToConvert;
  /** Nobody else has its memory. */
  readonly isOwn: boolean;
}

async function toConvertible(
  audio: AudioInput,
  platform: Platform,
  signal: AbortSignal | undefined,
): Promise<Convertible> {
  if (isBytes(audio)) {
    const bytes = await toBytes(audio);
    if (isWav(bytes)) return { convertible: { kind: 'wav', bytes }, isOwn: isBlob(audio) };
    const { channels, sampleRate: rate } = await platform.decodeAudio(bytes, signal);
    return interleaved({ samples: channels, sampleRate: rate }, signal);
  }
  if (isAudioBuffer(audio)) {
    const samples = Array.from({ length: audio.numberOfChannels }, (_, i) =>
      audio.getChannelData(i),
    );
    return interleaved({ samples, sampleRate: audio.sampleRate }, signal);
  }
  return interleaved(audio as PcmAudio, signal);
}

/** Answers the number of channels. */
function checkPcm({ samples, sampleRate: rate, channels }: PcmAudio): number {
  if (!Number.isInteger(rate) || rate <= 0) {
    throw invalidOption('sampleRate', 'a whole number of samples a second', rate);
  }
  const planes = samples instanceof Float32Array ? undefined : samples;
  const count = channels ?? planes?.length ?? 1;
  if (!Number.isInteger(count) || count < 1 || (planes && planes.length !== count)) {
    throw invalidOption('channels', 'the number of channels, at least 1', channels ?? count);
  }
  if (samples instanceof Float32Array) {
    if (samples.length % count !== 0) {
      throw invalidOption('samples', `a multiple of ${count} samples long`, samples.length);
    }
    return count;
  }
  const length = samples[0]?.length ?? 0;
  if (samples.some((plane) => !(plane instanceof Float32Array) || plane.length !== length)) {
    throw invalidOption('samples', 'Float32Arrays of one length, one for each channel', samples);
  }
  return count;
}

async function interleaved(audio: PcmAudio, signal: AbortSignal | undefined): Promise<Convertible> {
  const channels = checkPcm(audio);
  const { samples, sampleRate: rate } = audio;
  const asConvertible = (all: Float32Array): AudioToConvert => ({
    kind: 'samples',
    samples: all,
    sampleRate: rate,
    channels,
  });
  if (samples instanceof Float32Array) {
    return { convertible: asConvertible(samples), isOwn: false };
  }
  const yielder = new YieldController(signal);
  const length = samples[0]?.length ?? 0;
  const frames = new Float32Array(length * channels);
  const framesBetween = Math.ceil(samplesBetween / channels);
  for (let begin = 0; begin < length; begin += framesBetween) {
    const end = Math.min(length, begin + framesBetween);
    samples.forEach((plane, channel) => {
      for (let i = begin; i < end; ++i) frames[i * channels + channel] = plane[i] ?? 0;
    });
    await yielder.step();
  }
  return { convertible: asConvertible(frames), isOwn: true };
}

type Bytes = Blob | ArrayBuffer | Uint8Array;

const isBlob = (audio: AudioInput): audio is Blob =>
  typeof Blob !== 'undefined' && audio instanceof Blob;

const isBytes = (audio: AudioInput): audio is Bytes =>
  isBlob(audio) || audio instanceof ArrayBuffer || audio instanceof Uint8Array;

/** Untyped callers may pass anything. */
const isNonNullObject = (audio: unknown): audio is object =>
  typeof audio === 'object' && audio !== null;

const isAudioBuffer = (audio: AudioInput): audio is AudioBufferLike =>
  isNonNullObject(audio) && 'getChannelData' in audio && 'numberOfChannels' in audio;

const isPcm = (audio: AudioInput): audio is PcmAudio =>
  isNonNullObject(audio) &&
  'sampleRate' in audio &&
  'samples' in audio &&
  (audio.samples instanceof Float32Array || Array.isArray(audio.samples));

async function toBytes(audio: Bytes): Promise<Uint8Array> {
  if (audio instanceof Uint8Array) return audio;
  return new Uint8Array(audio instanceof ArrayBuffer ? audio : await audio.arrayBuffer());
}

/** RIFF, RIFX, RF64 or BW64: what the core reads. A broken one is then named by the core's error. */
function isWav(bytes: Uint8Array): boolean {
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  return ['RIFF', 'RIFX', 'RF64', 'BW64'].includes(magic);
}
