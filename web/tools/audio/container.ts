// The audio track of a container file: what it holds, and its packets in order.
import {
  ADTS,
  CustomSource,
  EncodedPacketSink,
  FLAC,
  Input,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
  type EncodedPacket,
  type InputAudioTrack,
} from 'mediabunny';
import type { AudioFileFacts, EncodedFile } from '../../src/protocol/audio.js';
import { noPadding, type Padding } from './blocks.js';
import { audioError, messageOf } from './failures.js';
import { id3Length, readLameTag, type Mp3Padding } from './lame_tag.js';

/** Bytes of the file that the demuxer keeps, and reads at once. */
const cachedBytes = 4 << 20;
const readBytes = 1 << 18;

export interface Track {
  readonly facts: AudioFileFacts;
  /** Undefined where the codec has no name in WebCodecs. */
  readonly config: AudioDecoderConfig | undefined;
  readonly packets: AsyncGenerator<EncodedPacket, undefined>;
  readonly padding: Padding;
}

export interface Container {
  readonly track: Track;
  close(): void;
}

/** Undefined for a file that is no container known here. */
export async function openContainer(file: EncodedFile): Promise<Container | undefined> {
  const read = async (begin: number, end: number): Promise<Uint8Array> =>
    new Uint8Array(await file.slice(begin, end).arrayBuffer());
  const input = new Input({
    formats: [MP4, QTFF, WEBM, MATROSKA, MP3, OGG, FLAC, WAVE, ADTS],
    source: new CustomSource({
      getSize: () => file.size,
      read: piecewise(read, file.size),
      maxCacheSize: cachedBytes,
      // The error reaches the caller that waits for the bytes.
      handleUnhandledError: () => undefined,
    }),
  });
  try {
    const track = await openTrack(input, read, file.size);
    if (track) return { track, close: () => input.dispose() };
  } catch (error) {
    input.dispose();
    throw error;
  }
  input.dispose();
  return undefined;
}

/** Small reads of neighbouring bytes become one large one. */
function piecewise(
  read: (begin: number, end: number) => Promise<Uint8Array>,
  size: number,
): (begin: number, end: number) => Promise<Uint8Array> {
  let at = 0;
  let piece: Uint8Array = new Uint8Array();
  return async (begin, end) => {
    if (begin < at || end > at + piece.length) {
      piece = await read(begin, Math.min(size, Math.max(end, begin + readBytes)));
      at = begin;
    }
    return piece.subarray(begin - at, end - at);
  };
}

async function openTrack(
  input: Input,
  read: (begin: number, end: number) => Promise<Uint8Array>,
  size: number,
): Promise<Track | undefined> {
  const format = await formatOf(input);
  if (format === undefined) return undefined;
  const track = await damagedIn(format, () => input.getPrimaryAudioTrack());
  if (!track) {
    const others = await damagedIn(format, () => input.getTracks());
    if (others.length > 0) {
      throw audioError('unsupported_feature', `This ${format} file has no audio track`);
    }
    if (format === 'Ogg') return undefined; // tracks of other codecs are not listed
    throw audioError('malformed', `This ${format} file lists no tracks; it may be incomplete`);
  }
  const [codec, codecInFile, config, duration] = await damagedIn(format, () =>
    Promise.all([
      track.getCodec(),
      track.getInternalCodecId(),
      track.getDecoderConfig(),
      track.getDurationFromMetadata(),
    ]),
  );
  // A codec that is not known here is called what the file calls it, as "alac".
  const otherCodec = typeof codecInFile === 'string' ? codecInFile : undefined;
  const ending = { seconds: Infinity };
  return {
    facts: {
      format,
      codec: codec ?? otherCodec,
      duration: duration ?? undefined,
      sampleRate: config?.sampleRate,
      channels: config?.numberOfChannels,
    },
    config: config ?? undefined,
    packets: packetsOf(track, format, ending),
    padding: await damagedIn(format, () =>
      paddingOf(format, track, ending, () => lameTag(read, size)),
    ),
  };
}

/** What cannot be told apart, also because it is too short, is no container. */
async function formatOf(input: Input): Promise<string | undefined> {
  try {
    return (await input.getFormat()).name;
  } catch {
    return undefined;
  }
}

async function damagedIn<T>(format: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw audioError(
      'malformed',
      `This ${format} file is damaged`,
      { got: messageOf(error) },
      error,
    );
  }
}

/** The packets; `ending` learns where the last one ends before that is given out. */
async function* packetsOf(
  track: InputAudioTrack,
  format: string,
  ending: { seconds: number },
): AsyncGenerator<EncodedPacket, undefined> {
  const sink = new EncodedPacketSink(track);
  let packet = await packetAfter(sink, undefined, format);
  while (packet) {
    let next: EncodedPacket | null | undefined;
    let problem: unknown;
    try {
      next = await packetAfter(sink, packet, format);
    } catch (error) {
      problem = error;
    }
    if (!next) ending.seconds = packet.timestamp + packet.duration;
    yield packet;
    if (problem) throw problem as Error;
    packet = next ?? null;
  }
}

/** The first packet, or the next; null at the end. */
async function packetAfter(
  sink: EncodedPacketSink,
  before: EncodedPacket | undefined,
  format: string,
): Promise<EncodedPacket | null> {
  const seconds = before ? before.timestamp + before.duration : 0;
  const read = (options?: { metadataOnly: boolean }): Promise<EncodedPacket | null> =>
    before ? sink.getNextPacket(before, options) : sink.getFirstPacket(options);
  let packet;
  try {
    packet = await read();
    if (packet) return packet;
    // Listed in the file, and not there.
    packet = await read({ metadataOnly: true });
  } catch (error) {
    const details = { seconds, got: messageOf(error) };
    throw audioError('malformed', `The ${format} file is damaged`, details, error);
  }
  if (!packet) return null;
  throw audioError('truncated_input', `The ${format} file ends before its sound does`, { seconds });
}

/** Containers whose times are exact to the sample, so that the last packet's end is the recording's. */
const exactTimes = ['MP4', 'QuickTime File Format', 'Ogg', 'FLAC'];

async function paddingOf(
  format: string,
  track: InputAudioTrack,
  ending: { readonly seconds: number },
  readTag: () => Promise<Mp3Padding | undefined>,
): Promise<Padding> {
  if (format === 'MP3') {
    const tag = await readTag();
    if (!tag) return noPadding;
    return {
      start: () => tag.start,
      length: (rate) => Math.round(ending.seconds * rate) - tag.start - tag.end,
    };
  }
  // Opus decoders leave out what comes before the start themselves.
  const isOpus = (await track.getCodec()) === 'opus';
  const first = isOpus ? 0 : Math.min(0, await track.getFirstTimestamp());
  return {
    start: (rate) => Math.round(-first * rate),
    length: (rate) => (exactTimes.includes(format) ? Math.round(ending.seconds * rate) : Infinity),
  };
}

/** Longer than the first frame of any MP3 file. */
const firstFrameBytes = 2048;

async function lameTag(
  read: (begin: number, end: number) => Promise<Uint8Array>,
  size: number,
): Promise<Mp3Padding | undefined> {
  let at = 0;
  let head = await read(0, Math.min(size, firstFrameBytes));
  for (let length = id3Length(head); length > 0; length = id3Length(head)) {
    at += length;
    if (at >= size) return undefined;
    head = await read(at, Math.min(size, at + firstFrameBytes));
  }
  return readLameTag(head);
}
