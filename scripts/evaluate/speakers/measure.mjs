// How far what was found in a recording is from the truth.

/** Seconds left out around each true boundary, half of it on each side. */
export const collars = [0, 0.25, 0.5];
/** About how many seconds a slice of the truth has, which stands for a word. */
const slice = 0.3;

/** @typedef {import('./material.mjs').SpeakerTurn} SpeakerTurn */

const touches = (a, b) => a.start < b.end && b.start < a.end;
const peopleOf = (turns) => new Set(turns.map(({ speaker }) => speaker));

/** Those who speak in some part of it. */
const speakersIn = (timed, truth) => peopleOf(truth.filter((turn) => touches(turn, timed)));

/**
 * The extent that counts: the whole of a meeting, all turns of a conversation.
 * @type {(recording: { truth: readonly SpeakerTurn[]; seconds?: number }, found: readonly SpeakerTurn[]) => { from: number; to: number }}
 */
export function extentOf({ truth, seconds }, found) {
  const to = seconds ?? Math.max(...[...truth, ...found].map(({ end }) => end));
  return { from: 0, to };
}

/**
 * Equal slices of each of the truth's turns, all in the order of time, with whose it is and whether nobody else speaks in it.
 * @type {(truth: readonly SpeakerTurn[]) => { start: number; end: number; text: string; speaker: string; isAlone: boolean }[]}
 */
export function slicesOf(truth) {
  return truth
    .flatMap(({ start, end, speaker }) => {
      const count = Math.max(1, Math.round((end - start) / slice));
      const at = (i) => start + ((end - start) * i) / count;
      return Array.from({ length: count }, (_, i) => ({
        ...{ start: at(i), end: at(i + 1), text: '', speaker },
      }));
    })
    .map((one) => ({ ...one, isAlone: speakersIn(one, truth).size === 1 }))
    .sort((a, b) => a.start - b.start);
}

/**
 * How many there are of all, and of those in which one speaks alone, and how many have the right speaker. `names`: found speaker to
 * true one.
 * @type {(slices: ReturnType<typeof slicesOf>, given: readonly { speaker?: string }[], names: Readonly<Record<string, string>>) =>
 *   { all: [number, number]; alone: [number, number] }}
 */
export function rightSlices(slices, given, names) {
  const isRight = slices.map(
    ({ speaker }, i) => given[i].speaker !== undefined && names[given[i].speaker] === speaker,
  );
  const countOf = (among) => [
    slices.filter((_, i) => among[i]).length,
    slices.filter((_, i) => among[i] && isRight[i]).length,
  ];
  return { all: countOf(slices.map(() => true)), alone: countOf(slices.map((s) => s.isAlone)) };
}

/**
 * Words of a transcript: how many there are, in how many one person speaks alone, and how many of these have the right speaker.
 * @type {(words: readonly { start: number; end: number; speaker?: string }[], truth: readonly SpeakerTurn[],
 *   names: Readonly<Record<string, string>>) => { words: number; alone: number; right: number }}
 */
export function rightWords(words, truth, names) {
  let [alone, right] = [0, 0];
  for (const word of words) {
    const people = speakersIn(word, truth);
    if (people.size !== 1) continue;
    ++alone;
    if (word.speaker !== undefined && people.has(names[word.speaker])) ++right;
  }
  return { words: words.length, alone, right };
}

/**
 * Labels of live captions: of the words in which one person speaks alone, how many would have the right speaker by the recording's turns,
 * have it in the first event that says one, and have it in the end. `after`: when the first one came, for each that got one.
 * @type {(words: readonly { start: number; end: number; first?: string; last?: string; after?: number }[],
 *   asFile: readonly { start: number; end: number; speaker?: string }[], truth: readonly SpeakerTurn[],
 *   names: Readonly<Record<string, string>>, captionNames: Readonly<Record<string, string>>) =>
 *   { words: number; alone: number; asFile: number; first: number; last: number; after: number[] }}
 */
export function captionsOf(words, asFile, truth, names, captionNames) {
  const { right, ...counts } = rightWords(asFile, truth, names);
  const rightAt = (moment) =>
    rightWords(
      words.map(({ start, end, [moment]: speaker }) => ({ start, end, speaker })),
      truth,
      captionNames,
    ).right;
  const after = words.flatMap((word) => (word.after === undefined ? [] : [word.after]));
  return { ...counts, asFile: right, first: rightAt('first'), last: rightAt('last'), after };
}

/**
 * @type {(worker: import('../../reference/reference_process.mjs').ReferenceProcess, recording: import('./material.mjs').Recording,
 *   found: readonly SpeakerTurn[]) => Promise<{ parts: { total: number; missed: number; false: number; confused: number }[];
 *   names: Record<string, string>; people: number; counted: number }>}
 */
export async function score(worker, recording, found) {
  const extent = extentOf(recording, found);
  const answers = [];
  for (const collar of collars) {
    const request = { command: 'score', truth: recording.truth, found, collar, ...extent };
    answers.push(await worker.need(request));
  }
  return {
    parts: answers,
    names: answers[0].names,
    people: peopleOf(recording.truth).size,
    counted: peopleOf(found).size,
  };
}
