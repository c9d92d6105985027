// Live text of people who talk, beside what was said or beside the same model's own offline text in the default mode, which has the
// voice detector.
import { units } from '../languages/units.mjs';
import { compareWords } from '../word_errors.mjs';
import { hearLive } from './hear.mjs';
import { commitLatencies, firstWordLatencies, shownLatencies, utterancesOf } from './latencies.mjs';
import { speechSeconds } from './material.mjs';
import { followed } from './transcript.mjs';

/**
 * A recording's figures. `words` are those of the truth, or of the offline text where nobody knows the truth; errors are counted against
 * them. `revised`: after all revisions, where there were some.
 * @typedef {import('./measure.mjs').Measured & { set: import('./natural_material.mjs').Natural['set'];
 *   revised?: { errors: number; rights: number[] } }} MeasuredNatural
 */

/**
 * @type {(system: import('./systems.mjs').System, sound: import('./natural_material.mjs').Natural,
 *   how: { clockOf: Parameters<typeof hearLive>[2]; blockSeconds: number }) => Promise<MeasuredNatural>}
 */
export async function measureNatural(system, sound, { clockOf, blockSeconds }) {
  const offlineWords = await system.words(sound.samples, sound.language);
  const open = (onEvent) => system.open(onEvent, sound.language);
  const heard = await hearLive(open, sound.samples, clockOf, blockSeconds);
  const transcript = followed(heard.deliveries);
  // A word may be told in two, at an apostrophe.
  const offline = units(offlineWords.map(({ word }) => word).join(''));
  const said = sound.truth === undefined ? offline : units(sound.truth);
  const timed = sound.words ?? offlineWords;
  const utterances = sound.utterances ?? utterancesOf(offlineWords);
  const live = units(transcript.text);
  const { revisions, revisedScreen, revisedText = '' } = transcript;
  return {
    set: sound.set,
    sound: sound.name,
    words: said.length,
    offlineErrors: compareWords(said, offline).errors,
    liveErrors: compareWords(said, live).errors,
    ...(revisions.count > 0 && {
      revised: {
        errors: compareWords(said, units(revisedText)).errors,
        rights: shownLatencies(timed, revisedScreen.words),
      },
    }),
    firsts: firstWordLatencies(utterances, transcript.shown),
    rights: shownLatencies(timed, transcript.screen.words),
    commits: commitLatencies(timed, transcript.commits),
    retracted: transcript.retracted,
    shown: transcript.churn.shown,
    removed: transcript.churn.removed,
    processorSeconds: heard.processorSeconds,
    speechSeconds: speechSeconds({ utterances }),
    lags: transcript.lags,
    behind: heard.behind,
    faults: transcript.faults,
    texts: {
      said,
      offline,
      live,
      ...(revisions.count > 0 && { revised: units(revisedText) }),
    },
  };
}
