// Names for the speakers of a recording: given by hand, or those of voices that are known.
import type { KnownVoices, Speaker, SpeakerTurn } from '../../src/api/types.js';
import { invalidOption } from '../../src/api/errors.js';
import { checkObject } from '../../src/api/options.js';

/** Numbers of a voice. */
export const vectorLength = 192;
/** Voices whose cosine distance is greater are of different people. */
const usualDistance = 0.5;

/** A word, or another piece of a result, and whose it is. */
export interface Attributed {
  readonly speaker?: string;
}

/** A segment, whose words may be attributed, too. */
export interface AttributedSegment extends Attributed {
  readonly words?: readonly Attributed[];
}

/** A transcript with speakers, or what findSpeakers() found. */
export interface ResultWithSpeakers {
  readonly speakers?: readonly Speaker[];
  readonly turns?: readonly SpeakerTurn[];
  readonly segments?: readonly AttributedSegment[];
}

/**
 * Returns a transcript or found speakers with other names: `names` maps an `id` to its new one. Speakers who get one name become one speaker.
 *
 * @throws SusurrusError `invalid_argument` for a name that is no text, or of nobody in the recording.
 * @example
 * ```js
 * const found = await findSpeakers(file, { count: 2 });
 * console.log(renameSpeakers(found, { S1: 'Ada', S2: 'Grace' }).turns);
 * ```
 */
export function renameSpeakers<Result extends ResultWithSpeakers>(
  result: Result,
  names: Readonly<Record<string, string>>,
): Result {
  const speakers = speakersOf(result);
  checkObject(names);
  for (const [id, name] of Object.entries<unknown>(names)) {
    if (typeof name !== 'string' || name.trim() === '') {
      throw invalidOption(`names.${id}`, 'a name', name);
    }
    if (speakers.some((speaker) => speaker.id === id)) continue;
    const known = speakers.map((speaker) => speaker.id).join(', ');
    throw invalidOption(`names.${id}`, `a name of one of ${known || 'no speakers'}`, name);
  }
  const nameOf = (id: string): string => (Object.hasOwn(names, id) ? names[id]! : id);
  const renamed = <Each extends Attributed>(each: Each): Each =>
    each.speaker === undefined ? each : { ...each, speaker: nameOf(each.speaker) };
  return {
    ...result,
    speakers: merged(speakers.map((speaker) => ({ ...speaker, id: nameOf(speaker.id) }))),
    ...(result.turns && { turns: result.turns.map(renamed) }),
    ...(result.segments && {
      segments: result.segments.map((segment) => ({
        ...renamed(segment),
        ...(segment.words && { words: segment.words.map(renamed) }),
      })),
    }),
  };
}

/**
 * Returns a transcript or found speakers in which those whose voices are known have their names. Each name is given once, to the speaker
 * whose voice is nearest, if its cosine distance is at most `maxDistance` (0.5 if absent).
 *
 * @throws SusurrusError `invalid_argument` for vectors of another length, or where the speakers have none: they were not found with
 *   `vectors: true`.
 * @example
 * ```js
 * const [ada] = (await findSpeakers(samples, { count: 1, vectors: true })).speakers;
 * const found = await findSpeakers(file, { vectors: true });
 * console.log(identify(found, { Ada: ada?.vector }).turns);
 * ```
 */
export function identify<Result extends ResultWithSpeakers>(
  result: Result,
  known: KnownVoices,
  options: { readonly maxDistance?: number } = {},
): Result {
  const speakers = speakersOf(result);
  checkObject(known);
  checkObject(options);
  const { maxDistance = usualDistance } = options;
  if (!(maxDistance >= 0 && maxDistance <= 2)) {
    throw invalidOption('maxDistance', 'a number from 0 to 2', maxDistance);
  }
  for (const [name, vector] of Object.entries<unknown>(known)) checkVector(`known.${name}`, vector);
  for (const { id, vector } of speakers) {
    if (vector === undefined) {
      throw invalidOption('speakers', 'found with vectors: true', `${id} without a vector`);
    }
    checkVector(`speakers.${id}.vector`, vector);
  }
  const pairs = speakers
    .flatMap(({ id, vector }) =>
      Object.entries(known).map(([name, voice]) => ({
        id,
        name,
        distance: 1 - cosine(vector!, voice!),
      })),
    )
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance);
  const names = new Map<string, string>();
  const given = new Set<string>();
  for (const { id, name } of pairs) {
    if (names.has(id) || given.has(name)) continue;
    names.set(id, name);
    given.add(name);
  }
  return renameSpeakers(result, Object.fromEntries(names));
}

function speakersOf(result: ResultWithSpeakers): readonly Speaker[] {
  const expected = 'a transcript with speakers, or what findSpeakers() returned';
  const given: unknown = (result as ResultWithSpeakers | null | undefined)?.speakers;
  if (!Array.isArray(given)) throw invalidOption('result', expected, result);
  return given as readonly Speaker[];
}

function checkVector(place: string, vector: unknown): asserts vector is readonly number[] {
  const isVector =
    (Array.isArray(vector) || vector instanceof Float32Array) &&
    vector.length === vectorLength &&
    vector.every((value) => Number.isFinite(value)) &&
    vector.some((value) => value !== 0);
  if (!isVector) throw invalidOption(place, `${vectorLength} numbers`, vector);
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number => {
    let sum = 0;
    for (let i = 0; i < vectorLength; ++i) sum += x[i]! * y[i]!;
    return sum;
  };
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** Those of one name become one, whose vector is the mean of theirs by seconds. */
function merged(speakers: readonly Speaker[]): Speaker[] {
  const all = new Map<string, Speaker[]>();
  for (const speaker of speakers) {
    all.set(speaker.id, [...(all.get(speaker.id) ?? []), speaker]);
  }
  return [...all].map(([id, same]) => {
    const [only] = same;
    if (same.length === 1) return only!;
    const seconds = same.reduce((sum, each) => sum + each.seconds, 0);
    if (same.some(({ vector }) => vector === undefined)) return { id, seconds };
    const sum = Array.from({ length: vectorLength }, (_, i) =>
      same.reduce((total, each) => total + each.seconds * each.vector![i]!, 0),
    );
    const length = Math.hypot(...sum) || 1;
    return { id, seconds, vector: sum.map((value) => value / length) };
  });
}
