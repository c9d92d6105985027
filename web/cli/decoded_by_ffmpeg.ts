// Recordings that the package does not decode, through ffmpeg where it is.
import { SusurrusError } from '../src/node.js';
import type { RecordingStream } from '../src/node.js';
import { Ffmpeg, ffmpegPath } from './ffmpeg.js';

/** Decoded as the package asks for it. */
export interface DecodedAudio extends RecordingStream {
  readonly stream: AsyncIterable<Float32Array>;
}

/** Whether the package has no decoder for it. */
export const isUndecoded = (error: unknown): error is SusurrusError =>
  error instanceof SusurrusError &&
  error.code === 'unsupported_feature' &&
  error.details.reason === 'bad_audio';

interface Decoding {
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
  { signal, onStart, onDuration = () => undefined }: Decoding,
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
    return await listen({ stream: ffmpeg.samples(), sampleRate: 16000, isRecording: true });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await ffmpeg.close();
  }
}
