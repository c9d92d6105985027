// Compressed audio files made by the tests themselves: AAC and MP3 by mediabunny's encoders, Opus as packets of silence.
import {
  ALL_FORMATS,
  AdtsOutputFormat,
  AudioSample,
  AudioSampleSource,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MkvOutputFormat,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Quality,
  Output,
  WebMOutputFormat,
  type AudioCodec,
  type OutputFormat,
} from 'mediabunny';
import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { registerMp3Encoder } from '@mediabunny/mp3-encoder';

registerAacEncoder();
registerMp3Encoder();

const formats = {
  m4a: () => new Mp4OutputFormat({ fastStart: 'in-memory' }),
  mkv: () => new MkvOutputFormat(),
  webm: () => new WebMOutputFormat(),
  ogg: () => new OggOutputFormat(),
  aac: () => new AdtsOutputFormat(),
  mp3: () => new Mp3OutputFormat(),
};
export type EncodedFormat = keyof typeof formats;

interface Sound {
  /** 16 kHz mono. */
  readonly samples: Float32Array;
  readonly rate?: number;
  readonly channels?: number;
}

/** The samples at another rate by straight lines, the same in each channel, interleaved. */
export function resampled({ samples, rate = 48000, channels = 1 }: Sound): Float32Array {
  const count = Math.floor((samples.length * rate) / 16000);
  const frames = new Float32Array(count * channels);
  for (let i = 0; i < count; ++i) {
    const place = (i * 16000) / rate;
    const at = Math.floor(place);
    const [before, after] = [samples[at] ?? 0, samples[at + 1] ?? 0];
    frames.fill(before + (after - before) * (place - at), i * channels, (i + 1) * channels);
  }
  return frames;
}

async function written(
  format: OutputFormat,
  fill: (output: Output) => Promise<void>,
): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  await fill(output);
  await output.finalize();
  if (!target.buffer) throw new Error('nothing was written');
  return new Uint8Array(target.buffer);
}

/** A file of real AAC or MP3. */
export function encoded(
  format: EncodedFormat,
  codec: 'aac' | 'mp3',
  sound: Sound,
): Promise<Uint8Array> {
  const { rate = 48000, channels = 1 } = sound;
  const frames = resampled(sound);
  return written(formats[format](), async (output) => {
    const source = new AudioSampleSource({ codec, quality: new Quality({ bitrate: 96000 }) });
    output.addAudioTrack(source);
    await output.start();
    for (let at = 0; at < frames.length; at += rate * channels) {
      const sample = new AudioSample({
        data: frames.subarray(at, at + rate * channels),
        format: 'f32',
        numberOfChannels: channels,
        sampleRate: rate,
        timestamp: at / channels / rate,
      });
      await source.add(sample);
      sample.close();
    }
  });
}

/** Copies the packets into another file, `seconds` later; packets before 0 are the encoder's padding. */
export async function rewrapped(
  file: Uint8Array,
  format: EncodedFormat,
  seconds = 0,
): Promise<Uint8Array> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(file) });
  const track = await input.getPrimaryAudioTrack();
  const codec = await track?.getCodec();
  const config = await track?.getDecoderConfig();
  if (!track || !codec || !config) throw new Error('an audio track is expected');
  return written(formats[format](), async (output) => {
    const source = new EncodedAudioPacketSource(codec);
    output.addAudioTrack(source);
    await output.start();
    for await (const packet of new EncodedPacketSink(track).packets()) {
      const moved = packet.clone({ timestamp: packet.timestamp + seconds });
      await source.add(moved, { decoderConfig: config });
    }
  });
}

/** 20 ms of silence in Opus, mono. */
const silence = Uint8Array.of(0xf8, 0xff, 0xfe);
/** Mono, 312 samples of padding. */
const opusHead = Uint8Array.of(
  ...[0x4f, 0x70, 0x75, 0x73, 0x48, 0x65, 0x61, 0x64, 1, 1, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0],
);

export interface OpusTrack {
  readonly seconds: number;
  /** Bytes of the packet at `index`; silence if absent. */
  readonly packet?: (index: number) => Uint8Array;
}

/** A file with tracks of Opus; with a track of video instead where there are none. */
export function opusFile(format: EncodedFormat, tracks: readonly OpusTrack[]): Promise<Uint8Array> {
  return written(formats[format](), async (output) => {
    const sources = tracks.map(() => new EncodedAudioPacketSource('opus' satisfies AudioCodec));
    for (const source of sources) output.addAudioTrack(source);
    const video = tracks.length === 0 ? new EncodedVideoPacketSource('vp8') : undefined;
    if (video) output.addVideoTrack(video);
    await output.start();
    const decoderConfig = {
      codec: 'opus',
      sampleRate: 48000,
      numberOfChannels: 1,
      description: opusHead,
    };
    for (const [at, { seconds, packet }] of tracks.entries()) {
      for (let i = 0; i < seconds * 50; ++i) {
        const data = packet?.(i) ?? silence;
        await sources[at]?.add(new EncodedPacket(data, 'key', i / 50, 0.02), { decoderConfig });
      }
      sources[at]?.close();
    }
    await video?.add(new EncodedPacket(new Uint8Array(64), 'key', 0, 1), {
      decoderConfig: { codec: 'vp8', codedWidth: 16, codedHeight: 16 },
    });
  });
}

/** Writes a LAME tag with the padding into the first frame of an MP3 file, which holds only facts. */
export function withLameTag(mp3: Uint8Array, start: number, end: number): Uint8Array {
  const bytes = mp3.slice();
  const name = String.fromCharCode(...bytes);
  const at = Math.max(name.indexOf('Xing'), name.indexOf('Info'));
  if (at < 0 || at > 2000) throw new Error('the file has no Xing header');
  const flags = new DataView(bytes.buffer).getUint32(at + 4);
  const behind =
    at +
    8 +
    (flags & 1 ? 4 : 0) +
    (flags & 2 ? 4 : 0) +
    (flags & 4 ? 100 : 0) +
    (flags & 8 ? 4 : 0);
  bytes.set(new TextEncoder().encode('LAME3.100'), behind);
  bytes.set([start >> 4, ((start & 15) << 4) | (end >> 8), end & 255], behind + 21);
  return bytes;
}

/** An AIFF file of 16-bit samples, or AIFF-C of another coding. */
export function aiffFile(
  samples: Float32Array,
  rate: number,
  coding?: 'sowt' | 'fl32',
): Uint8Array {
  const sampleBytes = coding === 'fl32' ? 4 : 2;
  const common = coding ? 22 : 18;
  const size = 12 + 8 + common + 16 + samples.length * sampleBytes;
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  const text = (at: number, value: string) => bytes.set(new TextEncoder().encode(value), at);
  text(0, 'FORM');
  view.setUint32(4, size - 8);
  text(8, coding ? 'AIFC' : 'AIFF');
  text(12, 'COMM');
  view.setUint32(16, common);
  view.setUint16(20, 1);
  view.setUint32(22, samples.length);
  view.setUint16(26, sampleBytes * 8);
  const exponent = Math.floor(Math.log2(rate));
  view.setUint16(28, 16383 + exponent);
  view.setUint32(30, rate * 2 ** (31 - exponent));
  if (coding) text(38, coding);
  const sound = 20 + common;
  text(sound, 'SSND');
  view.setUint32(sound + 4, 8 + samples.length * sampleBytes);
  samples.forEach((value, i) => {
    const at = sound + 16 + i * sampleBytes;
    if (coding === 'fl32') view.setFloat32(at, value);
    else view.setInt16(at, Math.round(value * 32767), coding === 'sowt');
  });
  return bytes;
}
