import { invalidOption } from '../api/errors.js';

/** A word with its time in seconds; white space around it belongs to it. */
export interface TranscriptWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** Who says it. */
  readonly speaker?: string;
}

/** A timed piece of text. Times in seconds. */
export interface TranscriptSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words?: readonly TranscriptWord[];
  /** A language code, where it may differ from the transcript's. */
  readonly language?: string;
  /** Who speaks: txt and srt name them before the text, vtt by a voice span. Subtitles of a `profile` have a line for each of two. */
  readonly speaker?: string;
}

/**
 * What can be written: a Transcript, what JSON.parse gives of format(…, 'json') or of the reference's JSON, or
 * segments from anywhere. Further fields of the same names are used where a format has room for them.
 */
export interface TranscriptLike {
  readonly segments: readonly TranscriptSegment[];
  readonly text?: string;
  /** A language code. */
  readonly language?: string;
  /** Seconds of audio. */
  readonly duration?: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Rejects what cannot be written, naming the place. */
export function checkTranscript(transcript: unknown): asserts transcript is TranscriptLike {
  const fields = fieldsOf('transcript', transcript);
  for (const name of ['text', 'language']) {
    check(
      `transcript.${name}`,
      'text',
      fields[name],
      (value) => value === undefined || isText(value),
    );
  }
  const { duration } = fields;
  check(
    'transcript.duration',
    'seconds',
    duration,
    (value) => value === undefined || isTime(value),
  );
  listOf('transcript.segments', fields.segments).forEach((each, index) => {
    const place = `transcript.segments[${index}]`;
    const segment = fieldsOf(place, each);
    checkTimes(place, segment);
    check(`${place}.text`, 'text', segment.text, isText);
    check(
      `${place}.speaker`,
      'text',
      segment.speaker,
      (value) => value === undefined || isText(value),
    );
    if (segment.words === undefined) return;
    listOf(`${place}.words`, segment.words).forEach((one, at) => {
      const wordPlace = `${place}.words[${at}]`;
      const word = fieldsOf(wordPlace, one);
      checkTimes(wordPlace, word);
      check(`${wordPlace}.word`, 'text', word.word, isText);
    });
  });
}

/** The words of all segments when every segment has its words, else undefined. */
export function wordsOf({ segments }: TranscriptLike): (readonly TranscriptWord[])[] | undefined {
  const words = segments.flatMap((segment) => (segment.words ? [segment.words] : []));
  return words.length > 0 && words.length === segments.length ? words : undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTime = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;

function check(
  place: string,
  expected: string,
  value: unknown,
  accepts: (value: unknown) => boolean,
): void {
  if (!accepts(value)) throw invalidOption(place, expected, value);
}

function checkTimes(place: string, { start, end }: Fields): void {
  check(`${place}.start`, 'seconds, 0 or more', start, isTime);
  check(`${place}.end`, 'seconds, 0 or more', end, isTime);
}

function fieldsOf(place: string, value: unknown): Fields {
  check(place, 'an object', value, (one) => typeof one === 'object' && one !== null);
  return value as Fields;
}

function listOf(place: string, value: unknown): readonly unknown[] {
  check(place, 'an array', value, Array.isArray);
  return value as readonly unknown[];
}
