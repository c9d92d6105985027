import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from '../accuracy/table.mjs';

/** What others reach on these recordings, by shared/speakers/README.md. */
const published = JSON.parse(readFileSync(join(import.meta.dirname, 'published.json'), 'utf8'));

/** In the order of the tables. */
export const sets = { conversations: 'conversations', meetings: 'half-minutes', joined: 'joined' };

/** @typedef {import('./speakers.mjs').Measured} Measured */

const total = (rows, valueOf) => rows.reduce((sum, row) => sum + valueOf(row), 0);
const percent = (part, whole) => (whole === 0 ? '' : ((100 * part) / whole).toFixed(1));

const cells = (set, who, parts, collars, counted, slices) => ({
  set,
  who,
  'error, %': parts[0],
  missed: parts[1],
  false: parts[2],
  confused: parts[3],
  'collar 0.25': collars[0],
  'collar 0.5': collars[1],
  counted,
  'slices, %': slices.length > 1 ? `${slices[0]} (${slices[1]})` : (slices[0] ?? ''),
});

/** @type {(rows: readonly Measured[], collar: number) => string[]} */
function errorsOf(rows, collar) {
  const whole = total(rows, ({ score }) => score.parts[collar].total);
  const parts = ['missed', 'false', 'confused'].map((name) =>
    total(rows, ({ score }) => score.parts[collar][name]),
  );
  return [parts.reduce((sum, part) => sum + part, 0), ...parts].map((part) => percent(part, whole));
}

function countedOf(rows) {
  if (rows.length === 1) return `${rows[0].score.counted} of ${rows[0].score.people} people`;
  const right = rows.filter(({ score }) => score.counted === score.people).length;
  return `${right} of ${rows.length}`;
}

/** @type {(rows: readonly Measured[], name: 'all' | 'alone') => string} */
const slicesRight = (rows, name) =>
  percent(
    total(rows, ({ slices }) => slices[name][1]),
    total(rows, ({ slices }) => slices[name][0]),
  );

/** Each set's rows of each model. */
function* grouped(rows) {
  for (const [set, title] of Object.entries(sets)) {
    const own = rows.filter((row) => row.recording.set === set);
    for (const who of new Set(own.map((row) => row.who))) {
      yield { set, title, who, own: own.filter((row) => row.who === who) };
    }
  }
}

/** @type {(rows: readonly Measured[]) => string} */
export function errorTable(rows) {
  const all = [];
  for (const [set, title] of Object.entries(sets)) {
    const groups = [...grouped(rows)].filter((group) => group.set === set);
    for (const { who, own } of groups) {
      const collars = [1, 2].map((collar) => errorsOf(own, collar)[0]);
      const slices = [slicesRight(own, 'all'), slicesRight(own, 'alone')];
      all.push(cells(title, who, errorsOf(own, 0), collars, countedOf(own), slices));
    }
    if (groups.length === 0) continue;
    for (const { who, parts, collars, counted, slices } of published[set]) {
      const texts = (numbers) => numbers.map((number) => number.toFixed(1));
      all.push(cells(title, who, texts(parts), texts(collars), counted, texts(slices)));
    }
  }
  return markdownTable(all);
}

/** @type {(rows: readonly Measured[]) => string} */
export function costTable(rows) {
  const costs = [...grouped(rows)].map(({ title, who, own }) => {
    const [seconds, wall, processor] = ['duration', 'wallSeconds', 'processorSeconds'].map((name) =>
      total(own, ({ found }) => found[name]),
    );
    const memory = Math.max(...own.map(({ found }) => found.wasmBytes)) / 1e6;
    return {
      set: title,
      who,
      'sound, s': seconds.toFixed(0),
      'processor, s': processor.toFixed(0),
      'processor, × real time': (processor / seconds).toFixed(3),
      'wall, × real time': (wall / seconds).toFixed(3),
      'memory, MB': memory.toFixed(0),
    };
  });
  return markdownTable(costs);
}

/** Undefined where no words were heard. @type {(rows: readonly Measured[]) => string | undefined} */
export function wordTable(rows) {
  const heard = rows.filter(({ words }) => words !== undefined);
  if (heard.length === 0) return undefined;
  const counts = [...grouped(heard)].map(({ title, who, own }) => {
    const [words, alone, right] = ['words', 'alone', 'right'].map((name) =>
      total(own, (row) => row.words[name]),
    );
    const share = `${percent(right, alone)} %`;
    return { set: title, who, recordings: own.length, words, 'one alone': alone, right: share };
  });
  return markdownTable(counts);
}

/** Undefined where there were no captions. @type {(rows: readonly Measured[]) => string | undefined} */
export function captionTable(rows) {
  const own = rows.filter(({ captions }) => captions !== undefined);
  if (own.length === 0) return undefined;
  const counts = [...grouped(own)].map(({ title, who, own }) => {
    const of = (name) => total(own, ({ captions }) => captions[name]);
    const share = (name) => `${percent(of(name), of('alone'))} %`;
    const after = own.flatMap(({ captions }) => captions.after).sort((a, b) => a - b);
    const late = (part) => after[Math.floor(part * (after.length - 1))]?.toFixed(1) ?? '';
    return {
      ...{ set: title, who, recordings: own.length, words: of('words'), 'one alone': of('alone') },
      'as a recording': share('asFile'),
      'first told': share('first'),
      'in the end': share('last'),
      'told after, s': `${late(0.5)} (${late(0.95)})`,
    };
  });
  return markdownTable(counts);
}

/** What was measured, by the tables' names on the page. @type {(rows: readonly Measured[]) => Readonly<Record<string, string>>} */
export function tablesOf(rows) {
  const [words, captions] = [wordTable(rows), captionTable(rows)];
  return {
    speakers: errorTable(rows),
    'speakers-cost': costTable(rows),
    ...(words && { 'speakers-words': words }),
    ...(captions && { 'speakers-captions': captions }),
  };
}
