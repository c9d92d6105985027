// Converts every kind of audio input to 16 kHz mono.
import type { AudioBufferLike, AudioInput, PcmAudio } from '../api/types.js';
import type { AudioToConvert, EngineLink } from '../protocol/engine.js';
import { invalidOption } from '../api/errors.js';
import type { Platform } from '../platform/platform.js';

/** Samples at 16 kHz; a Float32Array is taken as it is. */
export async function toSamples(
  audio: AudioInput,
  engine: EngineLink,
  platform: Platform,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  if (audio instanceof Float32Array) return audio;
  return engine.call('convertAudio', await toConvertible(audio, platform), { signal });
}

/** Refuses anything but audio, before any work. */
export function checkAudio(audio: AudioInput): void {
  if (audio instanceof Float32Array || isBytes(audio) || isAudioBuffer(audio)) return;
  if (isPcm(audio)) {
    interleave(audio, true);
    return;
  }
  throw invalidOption(
    'audio',
    'a Float32Array at 16 kHz, {samples, sampleRate, channels}, an AudioBuffer, or the bytes of an audio file',
    audio,
  );
}

async function toConvertible(audio: AudioInput, platform: Platform): Promise<AudioToConvert> {
  if (isBytes(audio)) {
    const bytes = await toBytes(audio);
    if (isWav(bytes)) return { kind: 'wav', bytes };
    const { channels, sampleRate: rate } = await platform.decodeAudio(bytes);
    return interleave({ samples: channels, sampleRate: rate });
  }
  if (isAudioBuffer(audio)) {
    const samples = Array.from({ length: audio.numberOfChannels }, (_, i) =>
      audio.getChannelData(i),
    );
    return interleave({ samples, sampleRate: audio.sampleRate });
  }
  return interleave(audio as PcmAudio);
}

function interleave(
  { samples, sampleRate: rate, channels }: PcmAudio,
  checkOnly = false,
): AudioToConvert {
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
    return { kind: 'samples', samples, sampleRate: rate, channels: count };
  }
  const length = samples[0]?.length ?? 0;
  if (samples.some((plane) => !(plane instanceof Float32Array) || plane.length !== length)) {
    throw invalidOption('samples', 'Float32Arrays of one length, one for each channel', samples);
  }
  if (checkOnly)
    return { kind: 'samples', samples: new Float32Array(), sampleRate: rate, channels: count };
  const frames = new Float32Array(length * count);
  samples.forEach((plane, channel) => {
    for (let i = 0; i < length; ++i) frames[i * count + channel] = plane[i] ?? 0;
  });
  return { kind: 'samples', samples: frames, sampleRate: rate, channels: count };
}

type Bytes = Blob | ArrayBuffer | Uint8Array;

const isBytes = (audio: AudioInput): audio is Bytes =>
  (typeof Blob !== 'undefined' && audio instanceof Blob) ||
  audio instanceof ArrayBuffer ||
  audio instanceof Uint8Array;

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
