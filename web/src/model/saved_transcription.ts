// Transcriptions that go on later. What was saved comes back from a caller's storage, so it is checked like any input; what only
// the engine can judge, it does.
import type { Dimensions, SavedTranscription } from '../api/types.js';
import { invalidOption, type SusurrusError } from '../api/errors.js';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isSegment = (value: unknown): boolean =>
  isObject(value) &&
  'tokens' in value &&
  Array.isArray(value.tokens) &&
  'text' in value &&
  typeof value.text === 'string';

const isSegments = (value: unknown): boolean => Array.isArray(value) && value.every(isSegment);

/** Why this is nothing that a model with such dimensions has saved. */
export function savedProblem(saved: unknown, dims: Dimensions): SusurrusError | undefined {
  const given: Partial<Record<keyof SavedTranscription, unknown>> = isObject(saved) ? saved : {};
  if (given.version !== 1) return invalidOption('saved', 'what save() gave', saved);
  const wanted = {
    dims: isObject(given.dims),
    settings: isObject(given.settings),
    state: isObject(given.state),
    duration: typeof given.duration === 'number',
    segments: isSegments(given.segments),
    rejected: isSegments(given.rejected),
    sampleCount: given.sampleCount === undefined || typeof given.sampleCount === 'number',
  };
  for (const [name, isGood] of Object.entries(wanted)) {
    const value = given[name as keyof typeof wanted];
    if (!isGood) return invalidOption(`saved.${name}`, 'what save() gave', value);
  }
  const other = given.dims as Partial<Dimensions>;
  for (const name of Object.keys(dims) as (keyof typeof dims)[]) {
    if (other[name] === dims[name]) continue;
    return invalidOption(`saved.dims.${name}`, `${dims[name]}, as this model has`, other[name]);
  }
  return undefined;
}

/** Only the same recording can be gone on with; a stream of it would be heard with other levels. Without a count: a stream. */
export function checkSameAudio(
  saved: SavedTranscription | undefined,
  sampleCount: number | undefined,
): void {
  if (saved?.sampleCount === undefined || saved.sampleCount === sampleCount) return;
  throw invalidOption(
    'audio',
    `the recording of ${saved.sampleCount} samples at 16 kHz that the transcription began with`,
    sampleCount ?? 'a stream',
  );
}

/** What the engine goes on from. */
export function stateOf({ state, segments }: SavedTranscription): SavedTranscription['state'] {
  return { ...state, tokens: segments.flatMap(({ tokens }) => tokens) };
}
