// Compressed audio in Node, which has no decoders of its own: each format's is loaded when the first file asks for it.
import { sourceFailed, SusurrusError } from '../api/errors.js';
import type { DecodedAudio } from './platform.js';

/** What all of the decoder packages offer. */
interface Decoded {
  readonly channelData: Float32Array[];
  readonly samplesDecoded: number;
  readonly sampleRate: number;
  readonly errors?: readonly { readonly message: string }[];
}

interface Format {
  readonly name: string;
  readonly matches: (bytes: Uint8Array) => boolean;
  readonly decode: (bytes: Uint8Array) => Promise<Decoded>;
}

const textAt = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** An Ogg page's first packet names its codec; it lies within the first page. */
const isOggOf =
  (mark: string) =>
  (bytes: Uint8Array): boolean =>
    textAt(bytes, 0, 4) === 'OggS' && textAt(bytes, 0, 96).includes(mark);

/** Bundlers are to leave these imports alone: one that builds a page's server side would follow them into code that it cannot read. */
const formats: readonly Format[] = [
  {
    name: 'FLAC',
    matches: (bytes) => textAt(bytes, 0, 4) === 'fLaC' || isOggOf('\x7fFLAC')(bytes),
    decode: async (bytes) => {
      const { FLACDecoder } = await import(
        /* webpackIgnore: true */ /* turbopackIgnore: true */ '@wasm-audio-decoders/flac'
      );
      return decodeFile(new FLACDecoder(), bytes);
    },
  },
  {
    name: 'Opus',
    matches: isOggOf('OpusHead'),
    decode: async (bytes) => {
      const { OggOpusDecoder } = await import(
        /* webpackIgnore: true */ /* turbopackIgnore: true */ 'ogg-opus-decoder'
      );
      return decodeFile(new OggOpusDecoder(), bytes);
    },
  },
  {
    name: 'Vorbis',
    matches: isOggOf('\x01vorbis'),
    decode: async (bytes) => {
      const { OggVorbisDecoder } = await import(
        /* webpackIgnore: true */ /* turbopackIgnore: true */ '@wasm-audio-decoders/ogg-vorbis'
      );
      return decodeFile(new OggVorbisDecoder(), bytes);
    },
  },
  {
    name: 'MP3',
    matches: (bytes) =>
      textAt(bytes, 0, 3) === 'ID3' || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2),
    decode: async (bytes) => {
      const { MPEGDecoder } = await import(
        /* webpackIgnore: true */ /* turbopackIgnore: true */ 'mpg123-decoder'
      );
      const decoder = new MPEGDecoder();
      try {
        await decoder.ready;
        return decoder.decode(bytes);
      } finally {
        decoder.free();
      }
    },
  },
];

async function decodeFile(
  decoder: {
    readonly ready: Promise<void>;
    decodeFile(bytes: Uint8Array): Promise<Decoded>;
    free(): void;
  },
  bytes: Uint8Array,
): Promise<Decoded> {
  try {
    await decoder.ready;
    return await decoder.decodeFile(bytes);
  } finally {
    decoder.free();
  }
}

/** MP3, FLAC, Ogg Vorbis and Ogg Opus. */
export async function decodeCompressedAudio(bytes: Uint8Array): Promise<DecodedAudio> {
  const format = formats.find(({ matches }) => matches(bytes));
  if (!format) {
    const isMp4 = textAt(bytes, 4, 4) === 'ftyp';
    throw new SusurrusError(
      'unsupported_feature',
      isMp4
        ? 'M4A (AAC) cannot be decoded in Node; turn it into WAV, FLAC, MP3 or Ogg first.'
        : 'This is no audio file that can be decoded here: WAV, FLAC, MP3, Ogg Vorbis and Ogg Opus can.',
      { reason: 'bad_audio', subject: 'audio', ...(isMp4 && { got: 'M4A' }) },
    );
  }
  const { channelData, samplesDecoded, sampleRate, errors } = await format.decode(bytes);
  if (samplesDecoded === 0) {
    throw sourceFailed('audio', `this ${format.name} file holds no sound that can be decoded`, {
      got: errors?.[0]?.message ?? 'no samples',
    });
  }
  return { channels: channelData.map((plane) => plane.subarray(0, samplesDecoded)), sampleRate };
}
