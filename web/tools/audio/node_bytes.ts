// MP3, FLAC and Ogg in Node, by packages that take a file's bytes as they lie there. Each is loaded when the first file asks for it.
import type { DecodedPiece, EncodedFile } from '../../src/protocol/audio.js';
import type { OpenedFile } from './audio_host.js';
import { inPieces, noPadding, type Block, type Spent } from './blocks.js';
import { audioError, lasting, messageOf } from './failures.js';

/** Bytes to a decoder at once: a few seconds of sound. */
const chunkBytes = 1 << 16;

/** What all of the decoder packages offer. */
interface Decoded {
  readonly channelData: readonly Float32Array[];
  readonly samplesDecoded: number;
  readonly sampleRate: number;
  readonly errors?: readonly { readonly message: string }[];
}

interface ByteDecoder {
  readonly ready: Promise<void>;
  decode(bytes: Uint8Array): Decoded | Promise<Decoded>;
  flush?(): Promise<Decoded>;
  free(): void;
}

interface Format {
  readonly name: string;
  readonly codec: string;
  readonly matches: (bytes: Uint8Array) => boolean;
  readonly open: () => Promise<ByteDecoder>;
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
    codec: 'flac',
    matches: (bytes) => textAt(bytes, 0, 4) === 'fLaC' || isOggOf('\x7fFLAC')(bytes),
    open: async () =>
      new (
        await import(
          /* webpackIgnore: true */ /* turbopackIgnore: true */ '@wasm-audio-decoders/flac'
        )
      ).FLACDecoder(),
  },
  {
    name: 'Ogg',
    codec: 'opus',
    matches: isOggOf('OpusHead'),
    open: async () =>
      new (
        await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ 'ogg-opus-decoder')
      ).OggOpusDecoder(),
  },
  {
    name: 'Ogg',
    codec: 'vorbis',
    matches: isOggOf('\x01vorbis'),
    open: async () =>
      new (
        await import(
          /* webpackIgnore: true */ /* turbopackIgnore: true */ '@wasm-audio-decoders/ogg-vorbis'
        )
      ).OggVorbisDecoder(),
  },
  {
    name: 'MP3',
    codec: 'mp3',
    matches: (bytes) =>
      textAt(bytes, 0, 3) === 'ID3' || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2),
    open: async () =>
      new (
        await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ 'mpg123-decoder')
      ).MPEGDecoder(),
  },
];

/** Undefined for files of other formats. */
export async function openBytes(file: EncodedFile, spent: Spent): Promise<OpenedFile | undefined> {
  const head = new Uint8Array(await file.slice(0, Math.min(file.size, 96)).arrayBuffer());
  const format = formats.find(({ matches }) => matches(head));
  if (!format) return undefined;
  const { name, codec } = format;
  const pieces = piecesOf(file, format, spent);
  const duration = flacSeconds(head);
  if (duration === undefined) return { facts: { format: name, codec }, pieces };
  return { facts: { format: name, codec, duration }, pieces: lasting(duration, name, pieces) };
}

/** What the first block of a FLAC file says; undefined where it says nothing. */
function flacSeconds(head: Uint8Array): number | undefined {
  if (textAt(head, 0, 4) !== 'fLaC' || head.length < 26) return undefined;
  const view = new DataView(head.buffer, head.byteOffset);
  const rate = view.getUint32(18) >>> 12;
  const samples = (view.getUint8(21) & 15) * 2 ** 32 + view.getUint32(22);
  return rate > 0 && samples > 0 ? samples / rate : undefined;
}

async function* piecesOf(
  file: EncodedFile,
  format: Format,
  spent: Spent,
): AsyncGenerator<DecodedPiece, undefined> {
  const problem: { message?: string } = {};
  let isEmpty = true;
  for await (const piece of inPieces(blocksOf(file, format, problem), noPadding, spent)) {
    isEmpty = false;
    yield piece;
  }
  if (isEmpty) {
    const got = problem.message ?? 'no samples';
    throw audioError('malformed', `This ${format.name} file holds no sound that can be decoded`, {
      got,
    });
  }
}

/** `problem` learns what is wrong with a file that holds nothing. */
async function* blocksOf(
  file: EncodedFile,
  { name, open }: Format,
  problem: { message?: string },
): AsyncGenerator<Block, undefined> {
  const decoder = await open();
  let seconds = 0;
  const damaged = (got: string, cause?: unknown): Error =>
    audioError('malformed', `The ${name} file is damaged`, { seconds, got }, cause);
  const decoded = async function* (
    decode: () => Decoded | Promise<Decoded> | undefined,
  ): AsyncGenerator<Block, undefined> {
    let answer: Decoded | undefined;
    try {
      answer = await decode();
    } catch (error) {
      throw damaged(messageOf(error), error);
    }
    const { channelData = [], samplesDecoded = 0, sampleRate = 0, errors = [] } = answer ?? {};
    if (samplesDecoded > 0) {
      seconds += samplesDecoded / sampleRate;
      yield { planes: channelData.map((plane) => plane.subarray(0, samplesDecoded)), sampleRate };
    }
    const [error] = errors;
    if (error && seconds > 0) throw damaged(error.message);
    if (error) problem.message ??= error.message;
  };
  try {
    await decoder.ready;
    for (let at = 0; at <= file.size; at += chunkBytes) {
      const isOver = at + chunkBytes > file.size;
      const bytes = new Uint8Array(
        await file.slice(at, Math.min(file.size, at + chunkBytes)).arrayBuffer(),
      );
      yield* decoded(() => decoder.decode(bytes));
      if (isOver && decoder.flush) yield* decoded(() => decoder.flush?.());
    }
  } finally {
    decoder.free();
  }
}
