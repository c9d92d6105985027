// The figures of one language, and of two that are mixed.
import { alone, atLevel, mixed, recording } from './material.mjs';
import { counted, rate, sum } from './units.mjs';

/** @typedef {import('./units.mjs').Count} Count */
/** `taken`: how often which language was taken. `surest`: the probabilities of those. @typedef {Count & { taken: Record<string, number>; probabilities: number[] }} Detected */
/**
 * A language by one voice: at all levels from the first opening, and from the others at the first level. `offline`, `live`: recordings;
 * `sentences`: each alone; `peers`: the other programs.
 * @typedef {object} LanguageRow
 * @property {string} language
 * @property {string} voice
 * @property {{ told: Count; auto: Detected }} offline
 * @property {{ told: Count; auto: Detected; revised: Count; autoRevised: Count }} live
 * @property {{ told: Count; auto: Detected }} sentences
 * @property {Record<string, { told: Count; auto: Detected }>} peers
 */
/**
 * Two languages in one recording, beside its two parts alone and told.
 * @typedef {{ languages: string; change: string; offline: { mixed: Count; alone: Count };
 *   live: { mixed: Count; alone: Count; revised: Count } }} MixedRow
 */

/** Voices with at least so many wrong units of a hundred, told the language, say nothing about detection. */
const mostErrors = 50;

/** Whether openai-whisper, where it ran, took the right language in every recording. */
const isDetectable = ({ language, peers }) =>
  Object.entries(peers)
    .filter(([title]) => title.startsWith('openai-whisper'))
    .every(([, { auto }]) => Object.keys(auto.taken).every((taken) => taken === language));

/** Whether a row belongs to the goals. @type {(row: LanguageRow) => boolean} */
export const isCounted = (row) => rate(row.offline.told) < mostErrors && isDetectable(row);

/** @type {(heard: readonly { said: { truth: string }; text: string; language?: string; probability?: number }[]) => Detected} */
export function detected(heard) {
  const taken = {};
  for (const { language = 'none' } of heard) taken[language] = (taken[language] ?? 0) + 1;
  const count = sum(heard.map(({ said, text }) => counted(said.truth, text)));
  const known = heard.map(({ probability }) => probability).filter((one) => one !== undefined);
  return { ...count, taken, probabilities: known };
}

async function eachHeard(all, hear) {
  const heard = [];
  for (const said of all) heard.push({ said, ...(await hear(said.samples)) });
  return heard;
}

/** Told the language, and detected. `hear` takes samples and a language. */
async function toldAndAuto(all, hear, language) {
  const told = await eachHeard(all, (samples) => hear(samples, language));
  const auto = await eachHeard(all, (samples) => hear(samples, 'auto'));
  return { told, auto };
}

const counts = ({ told, auto }) => {
  const { errors, units } = detected(told);
  return { told: { errors, units }, auto: detected(auto) };
};

const revised = (heard) => sum(heard.map((one) => counted(one.said.truth, one.revised)));

/**
 * The voice whose recording has the fewest errors, told the language; the first of equals.
 * @type {(voices: readonly import('./material.mjs').Spoken[], ours: import('./hearers.mjs').Hearer) => Promise<import('./material.mjs').Spoken>}
 */
export async function bestVoice(voices, ours) {
  let best;
  for (const spoken of voices) {
    const { samples, truth } = recording(spoken);
    const { text } = await ours.offline(samples, spoken.language);
    const errors = rate(counted(truth, text));
    if (!best || errors < best.errors) best = { errors, spoken };
  }
  return best.spoken;
}

/**
 * @type {(spoken: import('./material.mjs').Spoken, who: { ours: Required<import('./hearers.mjs').Hearer>;
 *   others: readonly import('./hearers.mjs').Hearer[] }, how: { levels: readonly number[]; openings: readonly number[] }) =>
 *   Promise<LanguageRow>}
 */
export async function measureLanguage(spoken, { ours, others }, { levels, openings }) {
  const { language, voice, sentences } = spoken;
  const first = [...new Set(openings.map((opening) => opening % sentences.length))];
  const loud = first.map((opening) => recording(spoken, opening));
  const [loudest] = levels;
  const all = [
    ...levels.map((decibels) => atLevel(loud[0], decibels)),
    ...loud.slice(1).map((said) => atLevel(said, loudest)),
  ];
  const single = levels.flatMap((decibels) =>
    sentences.map((sentence) => atLevel(alone(sentence), decibels)),
  );
  const live = await toldAndAuto(all, ours.live, language);
  const peers = {};
  for (const { title, offline } of others) {
    peers[title] = counts(await toldAndAuto(all, offline, language));
  }
  return {
    ...{ language, voice },
    offline: counts(await toldAndAuto(all, ours.offline, language)),
    live: { ...counts(live), revised: revised(live.told), autoRevised: revised(live.auto) },
    sentences: counts(await toldAndAuto(single, ours.offline, language)),
    peers,
  };
}

/**
 * @type {(first: import('./material.mjs').Spoken, second: import('./material.mjs').Spoken, change: [string, number],
 *   ours: Required<import('./hearers.mjs').Hearer>) => Promise<MixedRow>}
 */
export async function measureMixed(first, second, [change, seconds], ours) {
  const { parts, whole } = mixed(first, second, seconds);
  const both = async (hear, mode) => {
    const separate = [];
    for (const { language, said } of parts) {
      separate.push(counted(said.truth, (await hear(said.samples, language)).text));
    }
    const { text, revised: last } = await hear(whole.samples, mode);
    const together = { mixed: counted(whole.truth, text), alone: sum(separate) };
    return last === undefined ? together : { ...together, revised: counted(whole.truth, last) };
  };
  return {
    ...{ languages: `${first.language}, ${second.language}`, change },
    offline: await both(ours.offline, 'per-window'),
    live: await both(ours.live, 'per-utterance'),
  };
}

const points = (more, less) => rate(more) - rate(less);

/**
 * Points that the goals speak of, over the rows that are counted; undefined without any.
 * @type {(rows: readonly LanguageRow[], mixtures: readonly MixedRow[]) => { languages: number; live?: number; offline?: number; mixed?: number; mixedLive?: number }}
 */
export function goalFigures(rows, mixtures) {
  const good = rows.filter(isCounted);
  const all = (of) => sum(good.map(of));
  const of = (way) => (kind) => sum(mixtures.map((one) => one[way][kind]));
  return {
    languages: new Set(good.map(({ language }) => language)).size,
    ...(good.length > 0 && {
      live: points(
        all((row) => row.live.auto),
        all((row) => row.live.told),
      ),
      offline: points(
        all((row) => row.offline.auto),
        all((row) => row.offline.told),
      ),
    }),
    ...(mixtures.length > 0 && {
      mixed: points(of('offline')('mixed'), of('offline')('alone')),
      mixedLive: points(of('live')('mixed'), of('live')('alone')),
      mixedRevised: points(of('live')('revised'), of('live')('alone')),
    }),
  };
}
