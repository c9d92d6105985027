// One recogniser on one recording: what comes of it in figures, and these figures of several recordings together.
import { quantile } from '../../statistics.mjs';
import { compareWords, words } from '../word_errors.mjs';
import { hearLive } from './hear.mjs';
import { commitLatencies, firstWordLatencies, shownLatencies } from './latencies.mjs';
import { speechSeconds } from './material.mjs';
import { followed } from './transcript.mjs';

/**
 * `firsts`, `rights`, `commits`: seconds until a first word was shown, each right word shown to stay, and committed. `shown`, `removed`: characters.
 * @typedef {{ words: number; offlineErrors: number; liveErrors: number; firsts: number[]; rights: number[]; commits: number[];
 *   retracted: number; shown: number; removed: number; processorSeconds: number; speechSeconds: number; lags: number; behind: number }} Figures
 */
/**
 * `texts`: normalised words of what was said and heard.
 * @typedef {Figures & { sound: string; faults: string[]; texts: { said: string[]; offline: string[]; live: string[] } }} Measured
 */

/**
 * @type {(system: import('./systems.mjs').System, sound: import('./material.mjs').Sound,
 *   how: { clockOf: Parameters<typeof hearLive>[2]; blockSeconds: number;
 *     normalised: (texts: string[]) => Promise<string[][]> }) => Promise<Measured>}
 */
export async function measure(system, sound, { clockOf, blockSeconds, normalised }) {
  const offlineText = await system.offline(sound.samples);
  const heard = await hearLive(system.open, sound.samples, clockOf, blockSeconds);
  const transcript = followed(heard.deliveries);
  const texts = [sound.truth, offlineText, transcript.text];
  // The normaliser would make one number of digits in a row.
  const [said, offline, live] =
    sound.kind === 'digits' ? texts.map(words) : await normalised(texts);
  return {
    sound: sound.name,
    words: said.length,
    offlineErrors: compareWords(said, offline).errors,
    liveErrors: compareWords(said, live).errors,
    firsts: firstWordLatencies(sound.utterances, transcript.shown),
    rights: shownLatencies(sound.words, transcript.screen.words),
    commits: commitLatencies(sound.words, transcript.commits),
    retracted: transcript.retracted,
    shown: transcript.churn.shown,
    removed: transcript.churn.removed,
    processorSeconds: heard.processorSeconds,
    speechSeconds: speechSeconds(sound),
    lags: transcript.lags,
    behind: heard.behind,
    faults: transcript.faults,
    texts: { said, offline, live },
  };
}

/** @type {(all: readonly Figures[]) => Figures} */
export function together(all) {
  const sum = (of) => all.reduce((total, one) => total + of(one), 0);
  return {
    words: sum((one) => one.words),
    offlineErrors: sum((one) => one.offlineErrors),
    liveErrors: sum((one) => one.liveErrors),
    firsts: all.flatMap((one) => one.firsts),
    rights: all.flatMap((one) => one.rights),
    commits: all.flatMap((one) => one.commits),
    retracted: sum((one) => one.retracted),
    shown: sum((one) => one.shown),
    removed: sum((one) => one.removed),
    processorSeconds: sum((one) => one.processorSeconds),
    speechSeconds: sum((one) => one.speechSeconds),
    lags: sum((one) => one.lags),
    behind: Math.max(...all.map((one) => one.behind)),
  };
}

/** What the table and the goals are about. @type {(figures: Figures) => Record<string, number>} */
export const summary = (figures) => ({
  offline: (100 * figures.offlineErrors) / figures.words,
  live: (100 * figures.liveErrors) / figures.words,
  pointsMore: (100 * (figures.liveErrors - figures.offlineErrors)) / figures.words,
  firstWord: quantile(figures.firsts, 0.5),
  right: quantile(figures.rights, 0.5),
  lateRight: quantile(figures.rights, 0.9),
  commit: quantile(figures.commits, 0.5),
  lateCommit: quantile(figures.commits, 0.95),
  retracted: figures.retracted,
  changed: figures.shown === 0 ? 0 : (100 * figures.removed) / figures.shown,
  processor: figures.processorSeconds / figures.speechSeconds,
  lags: figures.lags,
  behind: figures.behind,
});
