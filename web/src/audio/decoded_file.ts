// Audio files as pieces: WAV as its bytes, which the engine reads itself, everything else decoded in slices.
import { sourceFailed, SusurrusError } from '../api/errors.js';
import { onAbort, orAborted } from '../api/signals.js';
import type { Platform } from '../platform/platform.js';
import type { AudioFileFacts, AudioLink, EncodedFile } from '../protocol/audio.js';
import { freeBuffer, isTransferable } from '../protocol/whole_buffers.js';
import type { Piece, PieceSource } from './conversion.js';
import { piecesOf } from './sample_pieces.js';
import { textHeadBytes, textKind } from './text_bytes.js';

const wavPieceBytes = 1 << 20;

export interface OpenedFile {
  readonly pieces: PieceSource;
  /** The pieces have no other owner. */
  readonly isOwn: boolean;
  /** About how long it is, where it is decoded in no time; what takes time has `duration`, and reports. */
  readonly plainSeconds?: number | undefined;
  /** As the file says; a hint. */
  readonly duration?: number | undefined;
}

export async function decodeFile(
  file: EncodedFile,
  platform: Platform,
  signal: AbortSignal | undefined,
): Promise<OpenedFile> {
  if (await isWav(file)) {
    const plainSeconds = await wavSeconds(file);
    return { pieces: wavPieces(file), isOwn: true, plainSeconds };
  }
  const link = platform.openAudio();
  // The worker ends with the work, whatever it is doing.
  const release = onAbort(signal, () => link.close());
  const close = (): void => {
    release();
    link.close();
  };
  try {
    const opened = await orAborted(link.call('open', { file }, { signal }), signal);
    if (opened.isDecoded) {
      const { facts } = opened;
      const pieces = orWhole(piecesFrom(link, signal, close), signal, () =>
        decodedWhole(file, facts, platform, signal),
      );
      return { pieces, isOwn: true, duration: facts.duration };
    }
    close();
    const pieces = await decodedWhole(file, opened.facts, platform, signal);
    return { pieces, isOwn: true, duration: opened.facts?.duration };
  } catch (error) {
    close();
    throw error;
  }
}

/** The pieces of an open file; their memory goes back and forth. */
function piecesFrom(
  link: AudioLink,
  signal: AbortSignal | undefined,
  close: () => void,
): PieceSource {
  let spent: Float32Array | undefined;
  return {
    async next() {
      const request = { spent };
      spent = undefined;
      const call = link.call('read', request, { signal, givesAway: true });
      try {
        const piece = await orAborted(call, signal);
        if (piece.samples.length > 0) return { done: false, value: piece };
      } catch (error) {
        close();
        throw error;
      }
      close();
      return { done: true, value: undefined };
    },
    return: close,
    recycle(memory) {
      if (memory instanceof Float32Array) spent = memory;
    },
  };
}

/**
 * WebKitGTK promises to decode what it then calls damaged from the first packet on: another decoder tries the whole file. Damage
 * further on stays an error, which others pass over.
 */
function orWhole(
  pieces: PieceSource,
  signal: AbortSignal | undefined,
  decodeWhole: () => Promise<PieceSource>,
): PieceSource {
  let source = pieces;
  let isBegun = false;
  const secondTry = async (error: unknown) => {
    try {
      source = await decodeWhole();
    } catch (second) {
      throw signal?.aborted ? second : error;
    }
    return source.next();
  };
  return {
    async next() {
      try {
        return await source.next();
      } catch (error) {
        if (isBegun || !isAtOnce(error)) throw error;
        return await secondTry(error);
      } finally {
        isBegun = true;
      }
    },
    return: (value) => source.return?.(value),
    recycle: (memory) => source.recycle?.(memory),
  };
}

/** Errors of audio files end with the time at which they show. */
const isAtOnce = (error: unknown): boolean =>
  error instanceof SusurrusError &&
  error.code === 'malformed' &&
  error.details.got?.endsWith('at 0.000 s') === true;

/** Where the format is looked for, which comes before the samples. */
const wavHeadBytes = 4096;

/** About how long a WAV file is, from its size and its bytes a second; the core reads it exactly, later. */
async function wavSeconds(file: EncodedFile): Promise<number | undefined> {
  const head = new DataView(await readBytes(file, 0, Math.min(wavHeadBytes, file.size)));
  const nameAt = (at: number): string =>
    String.fromCharCode(...[0, 1, 2, 3].map((i) => head.getUint8(at + i)));
  const isLittle = head.byteLength > 4 && nameAt(0) !== 'RIFX';
  for (let at = 12; at + 20 <= head.byteLength;) {
    const size = head.getUint32(at + 4, isLittle);
    if (nameAt(at) === 'fmt ') {
      const bytesEach = head.getUint32(at + 16, isLittle);
      return bytesEach > 0 ? Math.max(0, file.size - at - 8 - size) / bytesEach : undefined;
    }
    at += 8 + size + (size % 2);
  }
  return undefined;
}

const wavPieces = (file: EncodedFile): PieceSource =>
  Object.assign(slicesOf(file), {
    recycle: ({ buffer }: Uint8Array | Float32Array) => {
      if (isTransferable(buffer)) freeBuffer(buffer);
    },
  });

async function* slicesOf(file: EncodedFile): AsyncGenerator<Piece, undefined> {
  for (let at = 0; at < file.size; at += wavPieceBytes) {
    const buffer = await readBytes(file, at, Math.min(file.size, at + wavPieceBytes));
    yield { wav: new Uint8Array(buffer) };
  }
}

/** The last resort: a decoder that gives the whole recording at once. */
async function decodedWhole(
  file: EncodedFile,
  facts: AudioFileFacts | undefined,
  platform: Platform,
  signal: AbortSignal | undefined,
): Promise<PieceSource> {
  if (!facts) await refuseText(file, platform);
  if (!platform.decodeWhole) throw undecodable(facts, platform.undecodedNote);
  const { channels, sampleRate } = await orAborted(
    platform.decodeWhole(file, facts, signal),
    signal,
  );
  return piecesOf({ samples: channels, sampleRate });
}

/** A text is called one, instead of a recording that nothing here can decode. */
async function refuseText(file: EncodedFile, { decodeWhole }: Platform): Promise<void> {
  const head = await readBytes(file, 0, Math.min(textHeadBytes, file.size));
  const got = textKind(new Uint8Array(head));
  if (got === undefined) return;
  if (decodeWhole) throw sourceFailed('audio', `this is ${got}, no audio file`, { got });
  const details = { reason: 'bad_audio', subject: 'audio', got } as const;
  throw new SusurrusError('unsupported_feature', `This is ${got}, no audio file.`, details);
}

function undecodable(facts: AudioFileFacts | undefined, note: string): SusurrusError {
  const what = facts && [facts.format, facts.codec].filter(Boolean).join(' with ');
  return new SusurrusError(
    'unsupported_feature',
    what
      ? `There is no decoder for ${what} here. ${note}`
      : `This is no audio file that is known here. ${note}`,
    { reason: 'bad_audio', subject: 'audio', ...(what && { got: what }) },
  );
}

/** RIFF, RIFX, RF64 or BW64: what the core reads. A broken one is then named by the core's error. */
async function isWav(file: EncodedFile): Promise<boolean> {
  const head = new Uint8Array(await readBytes(file, 0, Math.min(4, file.size)));
  return ['RIFF', 'RIFX', 'RF64', 'BW64'].includes(String.fromCharCode(...head));
}

/** A file that was changed or taken away since it was chosen cannot be read. */
async function readBytes(file: EncodedFile, begin: number, end: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(begin, end).arrayBuffer();
  } catch (error) {
    if (error instanceof SusurrusError) throw error;
    throw sourceFailed(
      'audio',
      'reading the file failed',
      { offset: begin, got: String(error) },
      error,
    );
  }
}
