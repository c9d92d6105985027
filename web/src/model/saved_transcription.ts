// Transcriptions that go on later. What was saved comes back from a caller's storage, so it is checked like any input; what only
// the engine can judge, it does.
import type { Dimensions, SavedChunks, SavedTranscription, Segment, Word } from '../api/types.js';
import { invalidOption, type SusurrusError } from '../api/errors.js';
import type { AudioLength } from '../audio/audio_feed.js';
import { savedScriptProblem } from './chinese_script.js';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

type Test = (value: unknown) => boolean;
type Shape<T> = Readonly<Record<keyof T, Test>>;

const isTime: Test = (value) => Number.isFinite(value) && (value as number) >= 0;
const isCount: Test = (value) => Number.isInteger(value) && (value as number) >= 0;
/** JSON has null for what is infinite. */
const isMeasure: Test = (value) => typeof value === 'number' || value === null;
const isText: Test = (value) => typeof value === 'string';
const listOf =
  (accepts: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(accepts);

const isSpeaker: Test = (value) => value === undefined || isText(value);
const wordShape: Shape<Word> = {
  word: isText,
  start: isTime,
  end: isTime,
  probability: isMeasure,
  speaker: isSpeaker,
};
/** All of it comes back in the result. */
const segmentShape: Shape<Segment> = {
  id: isCount,
  seek: isCount,
  start: isTime,
  end: isTime,
  text: isText,
  language: isText,
  tokens: listOf(isCount),
  tokenProbabilities: listOf(isMeasure),
  temperature: isMeasure,
  avgLogprob: isMeasure,
  compressionRatio: isMeasure,
  noSpeechProb: isMeasure,
  encoderContext: isCount,
  decision: isText,
  attempts: listOf(isObject),
  speaker: isSpeaker,
  words: (value) => value === undefined || listOf((word) => !badMember(word, wordShape))(value),
};

const languageShape: Shape<SavedChunks['languages'][number]> = {
  language: isText,
  seconds: isTime,
  probability: (value) => value === undefined || (isTime(value) && (value as number) <= 1),
};
const chunksShape: Shape<SavedChunks> = {
  count: isCount,
  languages: listOf((each) => !badMember(each, languageShape)),
};

/** The name of a member that is wrong or missing. */
function badMember(value: unknown, shape: Readonly<Record<string, Test>>): string | undefined {
  const given = isObject(value) ? value : {};
  return Object.keys(shape).find((name) => !shape[name]?.(Reflect.get(given, name)));
}

/** The first problem of saved.segments or saved.rejected. */
function segmentsProblem(list: 'segments' | 'rejected', value: unknown): SusurrusError | undefined {
  if (!Array.isArray(value)) return invalidOption(`from.${list}`, 'what save() gave', value);
  for (const [index, segment] of value.entries()) {
    const name = badMember(segment, segmentShape);
    if (name === undefined) continue;
    const member: unknown = isObject(segment) ? Reflect.get(segment, name) : segment;
    return invalidOption(`from.${list}[${index}].${name}`, 'what save() gave', member);
  }
  return undefined;
}

/** The first problem of saved.chunks. */
function chunksProblem(value: unknown): SusurrusError | undefined {
  if (value === undefined) return undefined;
  const name = badMember(value, chunksShape);
  if (name === undefined) return undefined;
  const member: unknown = isObject(value) ? Reflect.get(value, name) : value;
  return invalidOption(`from.chunks.${name}`, 'what save() gave', member);
}

/** Why this is nothing that a model with such dimensions has saved. */
export function savedProblem(saved: unknown, dims: Dimensions): SusurrusError | undefined {
  const given: Partial<Record<keyof SavedTranscription, unknown>> = isObject(saved) ? saved : {};
  if (given.version !== 1) return invalidOption('from', 'what save() gave', saved);
  const wanted = {
    dims: isObject(given.dims),
    settings: isObject(given.settings),
    state: isObject(given.state),
    duration: isTime(given.duration),
    sampleCount: given.sampleCount === undefined || typeof given.sampleCount === 'number',
    fileSeconds: given.fileSeconds === undefined || isTime(given.fileSeconds),
  };
  for (const [name, isGood] of Object.entries(wanted)) {
    const value = given[name as keyof typeof wanted];
    if (!isGood) return invalidOption(`from.${name}`, 'what save() gave', value);
  }
  const problem =
    savedScriptProblem(Reflect.get(given.settings as object, 'script')) ??
    chunksProblem(given.chunks) ??
    segmentsProblem('segments', given.segments) ??
    segmentsProblem('rejected', given.rejected);
  if (problem) return problem;
  const other = given.dims as Partial<Dimensions>;
  for (const name of Object.keys(dims) as (keyof typeof dims)[]) {
    if (other[name] === dims[name]) continue;
    return invalidOption(`from.dims.${name}`, `${dims[name]}, as this model has`, other[name]);
  }
  return undefined;
}

/** Readers may differ about the length of a file by so many seconds. */
const mostDifference = 0.1;

/** A transcription continues only with the same recording; a stream of it would have other levels. */
export function checkSameAudio(
  saved: SavedTranscription | undefined,
  { sampleCount, fileSeconds }: AudioLength,
): void {
  if (saved?.sampleCount !== undefined && saved.sampleCount !== sampleCount) {
    throw invalidOption(
      'audio',
      `the recording of ${saved.sampleCount} samples at 16 kHz that the transcription began with`,
      sampleCount ?? 'a stream',
    );
  }
  if (saved?.fileSeconds === undefined || fileSeconds === undefined) return;
  if (Math.abs(saved.fileSeconds - fileSeconds) <= mostDifference) return;
  throw invalidOption(
    'audio',
    `the file of ${saved.fileSeconds.toFixed(2)} s that the transcription began with`,
    `${fileSeconds.toFixed(2)} s`,
  );
}

/** What the engine goes on from. */
export function stateOf({ state, segments }: SavedTranscription): SavedTranscription['state'] {
  return { ...state, tokens: segments.flatMap(({ tokens }) => tokens) };
}
