// What was measured of languages as tables for people.
import { readFacts } from '../../facts/read_facts.mjs';
import { markdownTable } from '../accuracy/table.mjs';
import { percent, signed } from '../live/tables.mjs';
import { goalFigures, isCounted } from './measure.mjs';
import { rate, unitName } from './units.mjs';
import { programs } from './voices.mjs';

const names = new Map(readFacts('languages').languages.map(({ code, name }) => [code, name]));

/** "German". @type {(code: string) => string} */
export const languageName = (code) =>
  (names.get(code) ?? code).replace(/^./, (first) => first.toUpperCase());

const share = (count) => percent(rate(count));
const total = ({ taken }) => Object.values(taken).reduce((sum, one) => sum + one, 0);

/** "12 of 12", with what was taken instead. */
function rightLanguage(language, auto) {
  const wrong = Object.entries(auto.taken)
    .filter(([code]) => code !== language)
    .map(([code]) => code);
  const count = `${auto.taken[language] ?? 0} of ${total(auto)}`;
  return wrong.length > 0 ? `${count} (${wrong.sort().join(', ')})` : count;
}

/** "espeak-ng (GPL 3.0 or later)". */
function voiceText(voice) {
  const [program, name] = voice.split(' ');
  const { title, licence } = programs[program];
  return program === 'recording' ? `${title} (${name}, ${licence})` : `${title} (${licence})`;
}

const titled = (row) => `${languageName(row.language)}${isCounted(row) ? '' : ' ¹'}`;

/** Errors by language, as files and live. @type {(rows: readonly import('./measure.mjs').LanguageRow[]) => string} */
export const languageTable = (rows) =>
  markdownTable(
    rows.map((row) => ({
      language: titled(row),
      voice: voiceText(row.voice),
      heard: `${row.offline.told.units} ${unitName(row.language)}`,
      'file: told': share(row.offline.told),
      'file: detected': share(row.offline.auto),
      'live: told': share(row.live.told),
      'live: detected': share(row.live.auto),
      'revised: told': share(row.live.revised),
      'revised: detected': share(row.live.autoRevised),
    })),
    3,
  );

const surest = ({ probabilities }) =>
  probabilities.length === 0 ? '' : Math.min(...probabilities).toFixed(2);

/** Which language was taken. @type {(rows: readonly import('./measure.mjs').LanguageRow[]) => string} */
export const detectionTable = (rows) =>
  markdownTable(
    rows.map((row) => ({
      language: titled(row),
      'file: right language': rightLanguage(row.language, row.offline.auto),
      'least probability': surest(row.offline.auto),
      'live: right at the end': rightLanguage(row.language, row.live.auto),
      'one sentence: right language': rightLanguage(row.language, row.sentences.auto),
      'one sentence: told': share(row.sentences.told),
      'one sentence: detected': share(row.sentences.auto),
    })),
    1,
  );

/** Beside other programs, as files; undefined where there were none. @type {(rows: readonly import('./measure.mjs').LanguageRow[]) => string | undefined} */
export function peerTable(rows) {
  const titles = Object.keys(rows[0]?.peers ?? {});
  if (titles.length === 0) return undefined;
  return markdownTable(
    rows.map((row) => ({
      language: titled(row),
      'Susurrus, q8_0: told': share(row.offline.told),
      detected: share(row.offline.auto),
      ...Object.fromEntries(
        titles.flatMap((title) => [
          [`${title}: told`, share(row.peers[title].told)],
          [`${title}: detected`, share(row.peers[title].auto)],
        ]),
      ),
    })),
    1,
  );
}

/** Recordings in two languages. @type {(rows: readonly import('./measure.mjs').MixedRow[]) => string} */
export const mixedTable = (rows) =>
  markdownTable(
    rows.map(({ languages, change, offline, live }) => ({
      languages: languages.split(', ').map(languageName).join(', then '),
      change,
      'file: parts alone': share(offline.alone),
      "file: `'per-window'`": share(offline.mixed),
      'live: parts alone': share(live.alone),
      "live: `'per-utterance'`": share(live.mixed),
      revised: share(live.revised),
    })),
    2,
  );

/** @type {(rows: readonly import('./measure.mjs').LanguageRow[], mixtures: readonly import('./measure.mjs').MixedRow[]) => string} */
export function goalLine(rows, mixtures) {
  const { languages, live, offline, mixed, mixedLive, mixedRevised } = goalFigures(rows, mixtures);
  const parts = [];
  if (live !== undefined)
    parts.push(`live auto − told ${signed(live)}, as a file ${signed(offline)}`);
  if (mixed !== undefined) {
    const revised = `revised ${signed(mixedRevised)}`;
    parts.push(
      `mixed − its parts alone: live ${signed(mixedLive)}, ${revised}, as a file ${signed(mixed)}`,
    );
  }
  return `Points, over ${languages} counted languages: ${parts.join('; ')}.`;
}
