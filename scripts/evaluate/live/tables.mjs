// The figures of live recognisers as tables, and the goals that they miss.
import { markdownTable } from '../accuracy/table.mjs';
import { summary, together } from './measure.mjs';

export const percent = (value) => `${value.toFixed(1)} %`;
export const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
export const seconds = (value) => (Number.isFinite(value) ? value.toFixed(2) : 'never');

/** Figure → its heading and how it is written. */
const columns = {
  offline: ['word errors offline', percent],
  live: ['live', percent],
  pointsMore: ['points more', signed],
  firstWord: ['first word, s', seconds],
  right: ['shown: median, s', seconds],
  lateRight: ['shown: 90 %, s', seconds],
  commit: ['commit: median, s', seconds],
  lateCommit: ['commit: 95 %, s', seconds],
  retracted: ['characters retracted', String],
  changed: ['provisional text changed', percent],
  processor: ['processor s per s of speech', (value) => value.toFixed(2)],
  lags: ['lag events', String],
  behind: ['behind at most, s', seconds],
};

/** Without recordings the cells are empty. */
const cells = (sounds) => {
  const values = summary(together(sounds));
  return Object.fromEntries(
    Object.entries(columns).map(([key, [heading, write]]) => [
      heading,
      sounds.length === 0 ? '' : write(values[key]),
    ]),
  );
};

/**
 * What was measured of a recogniser. `invented`: words an hour by kind of sound.
 * @typedef {{ title: string; variant: string; isOwn: boolean; hears: string; sounds: import('./measure.mjs').Measured[];
 *   invented: Record<string, number> }} Row
 */

/** One line for each recogniser. @type {(rows: readonly Row[]) => string} */
export function systemTable(rows) {
  const kinds = [...new Set(rows.flatMap(({ invented }) => Object.keys(invented)))];
  return markdownTable(
    rows.map(({ title, variant, sounds, invented }) => ({
      recogniser: title,
      variant,
      ...cells(sounds),
      ...Object.fromEntries(
        kinds.map((kind) => [
          `words in an hour of ${kind}`,
          invented[kind] === undefined ? '' : String(Math.round(invented[kind])),
        ]),
      ),
    })),
  );
}

/** One line for each recording of each. @type {(rows: readonly Row[]) => string} */
export const soundTable = (rows) =>
  markdownTable(
    rows.flatMap(({ title, variant, sounds }) =>
      sounds.map((measured) => ({
        recording: measured.sound,
        recogniser: title,
        variant,
        ...cells([measured]),
      })),
    ),
    3,
  );

const most = {
  pointsMore: [1, 'points more word errors than offline'],
  commit: [1.5, 's until the median word is committed'],
  lateCommit: [3, 's until 95 % of the words are committed'],
  retracted: [0, 'characters retracted'],
  processor: [0.5, 's of processor time for a second of speech'],
};

/** A sentence for each goal that one of our Whisper rows misses. @type {(rows: readonly Row[]) => string[]} */
export function missedGoals(rows) {
  const missed = [];
  for (const { title, variant, isOwn, hears, sounds, invented } of rows) {
    if (!isOwn || hears !== 'speech') continue;
    const values = sounds.length > 0 ? summary(together(sounds)) : {};
    for (const [key, [limit, what]] of Object.entries(most)) {
      // An unknown figure is no success.
      if (sounds.length > 0 && !(values[key] <= limit)) {
        missed.push(
          `${title}, ${variant}: ${values[key].toFixed(2)} ${what}; the goal is ${limit}`,
        );
      }
    }
    for (const [kind, count] of Object.entries(invented)) {
      if (count > 0)
        missed.push(
          `${title}, ${variant}: ${count.toFixed(1)} words invented in an hour of ${kind}`,
        );
    }
  }
  return missed;
}
