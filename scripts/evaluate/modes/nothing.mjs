// npm run evaluate:nothing: what trained models write for sound in which nobody speaks, offline and live.
import { markdownTable } from '../accuracy/table.mjs';
import { shownUnits } from '../languages/units.mjs';
import { meetings } from '../live/natural_material.mjs';
import { wordsOutside } from '../live/turns.mjs';
import { integerOption, main, readArguments, StepError } from '../../toolchain/steps.mjs';
import { updatePage } from '../update_page.mjs';
import { cellsOf, usualModes } from './cells.mjs';
import { Listener } from './listener.mjs';
import { nothing, soundNames } from './nothing_sounds.mjs';

const usage = `npm run evaluate:nothing -- [options]

Silence, noise, hum, knocks and music, and the words that trained models (q8_0) make up for them in each mode, with the voice detector
and without. Characters of scripts without blanks count as words. What was measured is kept.

  --model NAMES     base,tiny.en (both)
  --modes NAMES     base: ${usualModes.base.join(',')}
                    tiny.en: ${usualModes['tiny.en'].join(',')}
                    openai is transcribe() with compatibility: 'openai'
  --detector NAMES  with,without (both)
  --minutes N       of each sound (60); a quarter of it for each of the four kinds of music
  --sounds TEXT     only sounds whose names contain it
  --meetings        counts words between the turns of seven meetings, too, in modes that may hear English (wants sox and the shared folder)
  --variant NAME    engine (simd)
  --update          writes the tables into docs/dev/accuracy.md
  --text            prints the text, too`;

/** Seconds from a turn within which a word may be one of it. */
const nearTurn = 0.5;

const isMusic = (name) => name.startsWith('music');
const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** What the counts of sounds amount to in an hour; nothing where none was heard. */
function anHour(counts) {
  if (counts.length === 0) return '';
  return Math.round((60 * total(counts.map(({ words }) => words))) / minutesOf(counts));
}

const minutesOf = (counts) => total(counts.map(({ minutes }) => minutes));

function worst(counts) {
  const [first] = counts.toSorted((a, b) => anHour([b]) - anHour([a]));
  return first && first.words > 0 ? `${first.name}: ${anHour([first])}` : '';
}

/** Segments that were dropped in an hour, by why. */
function dropped(counts) {
  const kinds = new Map();
  for (const { decision } of counts.flatMap(({ rejected }) => rejected)) {
    const kind = decision.replace('dropped:', '');
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds]
    .map(([kind, count]) => `${Math.round((60 * count) / minutesOf(counts))} ${kind}`)
    .join(', ');
}

const cellColumns = ({ model, mode, detector = '' }) => ({ model, mode, detector });
const titleOf = (cell) => Object.values(cellColumns(cell)).filter(Boolean).join(', ');

async function soundsRow(listener, cell, names, longest, isText) {
  const counts = [];
  for (const name of names) {
    const minutes = isMusic(name) ? longest / 4 : longest;
    const samples = nothing(name, 60 * minutes);
    const { text, rejected } = await listener.hear(samples, cell.options, cell.isLive);
    const words = shownUnits(text);
    counts.push({ name, minutes, words, rejected });
    console.error(`${titleOf(cell)}, ${name}: ${words} words`);
    if (isText && words > 0) console.log(`${titleOf(cell)}, ${name}:${text}`);
  }
  const music = counts.filter(({ name }) => isMusic(name));
  const others = counts.filter(({ name }) => !isMusic(name));
  return {
    ...cellColumns(cell),
    'heard, min': minutesOf(counts),
    'words an hour': anHour(others),
    'of music': anHour(music),
    'worst sound': worst(counts),
    'segments dropped an hour': dropped(counts),
  };
}

const mayHearEnglish = ({ options: { language = 'auto' } }) =>
  ['auto', 'en', 'per-window', 'per-utterance'].includes(language);

async function meetingsRow(listener, cell, recordings) {
  const row = { ...cellColumns(cell), words: 0, 'between turns': 0 };
  const options = cell.isLive ? cell.options : { ...cell.options, timestamps: 'word' };
  for (const { name, samples, turns } of recordings) {
    const { words } = await listener.hear(samples, options, cell.isLive);
    const outside = wordsOutside(words, turns, nearTurn);
    row.words += words.length;
    row['between turns'] += outside.length;
    for (const { word, start, end } of outside) {
      console.log(`${titleOf(cell)}, ${name}, ${start.toFixed(2)} to ${end.toFixed(2)} s:${word}`);
    }
  }
  return row;
}

await main(async () => {
  const { values } = readArguments({
    options: {
      model: { type: 'string', default: 'base,tiny.en' },
      modes: { type: 'string' },
      detector: { type: 'string', default: 'with,without' },
      minutes: { type: 'string', default: '60' },
      sounds: { type: 'string', default: '' },
      meetings: { type: 'boolean', default: false },
      variant: { type: 'string', default: 'simd' },
      update: { type: 'boolean', default: false },
      text: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const longest = integerOption('minutes', values.minutes, 1, 600);
  const cells = cellsOf(values);
  const names = soundNames.filter((name) => name.includes(values.sounds));
  if (names.length === 0) {
    throw new StepError(`--sounds: none of ${soundNames.join(', ')} contains it.`);
  }
  const recordings = values.meetings ? meetings() : [];
  const listeners = new Map();
  try {
    const tables = { nothing: [], ...(values.meetings && { 'between-turns': [] }) };
    for (const cell of cells) {
      const { model } = cell;
      if (!listeners.has(model)) listeners.set(model, await Listener.create(values.variant, model));
      const listener = listeners.get(model);
      tables.nothing.push(await soundsRow(listener, cell, names, longest, values.text));
      if (values.meetings && mayHearEnglish(cell)) {
        tables['between-turns'].push(await meetingsRow(listener, cell, recordings));
      }
    }
    const written = Object.fromEntries(
      Object.entries(tables).map(([name, rows]) => [name, markdownTable(rows, 3)]),
    );
    console.log(Object.values(written).join('\n\n'));
    if (values.update) await updatePage(written);
  } finally {
    for (const listener of listeners.values()) listener.close();
  }
});
