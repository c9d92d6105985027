// What can be wrong with an audio file.
import type { DecodedPiece } from '../../src/protocol/audio.js';
import { SusurrusError, type ErrorCode } from '../../src/api/errors.js';

const shown = (seconds: number): string => `${Math.max(0, seconds).toFixed(3)} s`;

/** An error about a file's contents, with the time of the recording at which it shows. */
export function audioError(
  code: ErrorCode,
  message: string,
  details: { readonly seconds?: number; readonly got?: string } = {},
  cause?: unknown,
): SusurrusError {
  const { seconds, got } = details;
  const at = seconds === undefined ? '' : ` at ${shown(seconds)}`;
  const found = [got, at && at.slice(1)].filter(Boolean).join(' ');
  return new SusurrusError(
    code,
    `${message}${at}${got ? `: ${got}` : ''}.`,
    { reason: 'bad_audio', subject: 'audio', ...(found && { got: found }) },
    cause,
  );
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Passes the pieces on; throws at their end if the file promised more. FLAC states its length to the sample. */
export async function* lasting(
  seconds: number,
  format: string,
  pieces: AsyncIterable<DecodedPiece>,
): AsyncGenerator<DecodedPiece, undefined> {
  let lasted = 0;
  for await (const piece of pieces) {
    lasted += piece.samples.length / piece.channels / piece.sampleRate;
    yield piece;
  }
  if (lasted < seconds - 0.1) {
    const got = `${shown(seconds)} were promised`;
    throw audioError('truncated_input', `The ${format} file ends early`, { seconds: lasted, got });
  }
}
