// The tables about people who talk.
import { markdownTable } from '../accuracy/table.mjs';
import { summary, together } from './measure.mjs';
import { percent, seconds, signed } from './tables.mjs';

/**
 * What was measured of a model. `model`: its name and type of weights. `clock`: by what its work takes time.
 * @typedef {{ model: string; variant: string; clock: string; sounds: import('./natural.mjs').MeasuredNatural[] }} NaturalRow
 */

const share = (count, of) => `${count} (${of === 0 ? '–' : percent((100 * count) / of)})`;

/** What a reader waited for. */
function latencies(figures) {
  const values = summary(figures);
  return {
    'first word, s': seconds(values.firstWord),
    'shown: median, s': seconds(values.right),
    'shown: 90 %, s': seconds(values.lateRight),
    'commit: median, s': seconds(values.commit),
    'commit: 95 %, s': seconds(values.lateCommit),
    'processor s per s of speech': values.processor.toFixed(2),
    'behind at most, s': seconds(values.behind),
  };
}

/** A line for the live text, and one for the revised text where something was revised. A recording without revisions stays as it was. */
function lines(sounds, cellsOf) {
  const live = together(sounds);
  const made = [{ text: 'live', figures: live }];
  if (sounds.some(({ revised }) => revised)) {
    const figures = together(
      sounds.map((one) =>
        one.revised ? { ...one, liveErrors: one.revised.errors, rights: one.revised.rights } : one,
      ),
    );
    made.push({ text: 'revised', figures });
  }
  return made.map(({ text, figures }) => cellsOf(text, figures));
}

const knownCells = (text, figures) => ({
  text,
  words: figures.words,
  'errors offline': share(figures.offlineErrors, figures.words),
  'errors live': share(figures.liveErrors, figures.words),
  'points more': signed(summary(figures).pointsMore),
  ...latencies(figures),
});

const unlikeCells = (text, figures) => ({
  text,
  'words offline': figures.words,
  'unlike offline': share(figures.liveErrors, figures.words),
  ...latencies(figures),
});

const conditions = ({ model, variant, clock }) => ({ model, variant, clock });

/**
 * Known words: a line for each recording of a set, and one for all of them.
 * @type {(rows: readonly NaturalRow[], of: import('./natural.mjs').MeasuredNatural['set']) => string}
 */
const knownTable = (rows, of) =>
  markdownTable(
    rows.flatMap((row) => {
      const sounds = row.sounds.filter(({ set }) => set === of);
      const groups = sounds.map((one) => [one.sound, [one]]);
      if (sounds.length > 1) groups.push(['together', sounds]);
      return groups.flatMap(([recording, group]) =>
        lines(group, (text, figures) => ({
          ...conditions(row),
          recording,
          ...knownCells(text, figures),
        })),
      );
    }),
    5,
  );

/** Words unlike the offline text: a line for each set of recordings. @type {(rows: readonly NaturalRow[]) => string} */
const unlikeTable = (rows) =>
  markdownTable(
    rows.flatMap((row) =>
      ['meetings', 'conversations'].flatMap((set) => {
        const sounds = row.sounds.filter((one) => one.set === set);
        if (sounds.length === 0) return [];
        return lines(sounds, (text, figures) => ({
          ...conditions(row),
          recordings: `${set}: ${sounds.length}`,
          ...unlikeCells(text, figures),
        }));
      }),
    ),
    5,
  );

/** Those tables that have a line, by their names on the page. @type {(rows: readonly NaturalRow[]) => Record<string, string>} */
export function naturalTables(rows) {
  const has = (...sets) => rows.some(({ sounds }) => sounds.some(({ set }) => sets.includes(set)));
  return {
    ...(has('known') && { 'live-known': knownTable(rows, 'known') }),
    ...(has('stories') && { 'live-stories': knownTable(rows, 'stories') }),
    ...(has('meetings', 'conversations') && { 'live-unlike': unlikeTable(rows) }),
  };
}
