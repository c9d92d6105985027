// Recordings that the package does not decode, through ffmpeg where it is.
import { SusurrusError } from '../src/node.js';
import { Ffmpeg, ffmpegPath } from './ffmpeg.js';

const sampleRate = 16000;

/** How much of a recording is decoded before transcription, with the limits of the package's own decoders. */
export type Holding = 'window' | 'short' | 'whole';
const heldSeconds: Readonly<Record<Holding, number>> = {
  window: 30,
  short: 600,
  whole: Infinity,
};

export type DecodedAudio = Float32Array | AsyncIterable<Float32Array>;

/** Whether the package has no decoder for it. */
export const isUndecoded = (error: unknown): error is SusurrusError =>
  error instanceof SusurrusError &&
  error.code === 'unsupported_feature' &&
  error.details.reason === 'bad_audio';

interface Decoding {
  readonly holding: Holding;
  readonly signal: AbortSignal;
  /** ffmpeg is there and begins. */
  readonly onStart: () => void;
  /** Gets the seconds that the recording says it has. */
  readonly onDuration?: ((seconds: number) => void) | undefined;
}

/** Decodes with ffmpeg for `listen` what the package could not decode (`refused`). Leaves no process behind, however it ends. */
export async function withFfmpeg<T>(
  input: string | Blob,
  refused: SusurrusError,
  { holding, signal, onStart, onDuration = () => undefined }: Decoding,
  listen: (audio: DecodedAudio) => Promise<T>,
): Promise<T> {
  const program = await ffmpegPath();
  if (program === undefined) {
    const message = `${refused.message} With ffmpeg on the PATH, this command has it decode such files.`;
    throw new SusurrusError(refused.code, message, refused.details);
  }
  signal.throwIfAborted();
  onStart();
  const ffmpeg = new Ffmpeg(program, input, onDuration);
  const stop = (): void => void ffmpeg.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await listen(await heldOrStreamed(ffmpeg.samples(), heldSeconds[holding], holding));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await ffmpeg.close();
  }
}

async function heldOrStreamed(
  samples: AsyncGenerator<Float32Array>,
  seconds: number,
  holding: Holding,
): Promise<DecodedAudio> {
  const held: Float32Array[] = [];
  let count = 0;
  while (count <= seconds * sampleRate) {
    const step = await samples.next();
    if (step.done) return joined(held, count);
    held.push(step.value);
    count += step.value.length;
  }
  if (holding === 'window') return joined(held, count).subarray(0, seconds * sampleRate);
  return (async function* () {
    for (let piece = held.shift(); piece; piece = held.shift()) yield piece;
    yield* samples;
  })();
}

function joined(pieces: readonly Float32Array[], count: number): Float32Array {
  const all = new Float32Array(count);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
