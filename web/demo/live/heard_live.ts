// What is left of a live session when it is over.
import { strings } from '../strings.js';
import type { HeardTranscript } from './live_transcript.js';

export interface HeardLive {
  /** Name of the transcript. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly began: number;
  readonly transcript: HeardTranscript;
  readonly note: string;
  /** The model that wrote it last, where that knows English alone. */
  readonly englishModel?: string;
  readonly sound?: File;
}

export function sessionName(began: number): string {
  const date = new Date(began);
  const two = (value: number): string => String(value).padStart(2, '0');
  return strings.live.session(two(date.getHours()), two(date.getMinutes()));
}
