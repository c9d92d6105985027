// npm run evaluate:chunks: what a recording loses where it is cut into chunks that do not know each other's text.
import { isTrainedName, ensureTrainedModel } from '../trained_model.mjs';
import { main, readArguments, StepError } from '../toolchain/steps.mjs';
import { markdownTable } from './accuracy/table.mjs';
import { heardIn } from './hearing.mjs';
import { units } from './languages/units.mjs';
import { stories, storyLanguages } from './speech/stories.mjs';
import { loopedWords, nameSpellings } from './spellings.mjs';
import { updatePage } from './update_page.mjs';
import { compareWords } from './word_errors.mjs';

const ofModel = (name) => storyLanguages.filter((one) => (one === 'en') === name.endsWith('.en'));

const usage = `npm run evaluate:chunks -- [options]

Stories of ten minutes, each by two readers, in sequence (conditionOnPreviousText: true) and in chunks (the default): words that are
wrong, names, loops. Needs a build, a trained model, and a Python with py-nanotts, which SUSURRUS_VOICES_PYTHON names. What was heard
is kept in build/evaluate/results.

  --model NAME       base or tiny.en (base)
  --languages LIST   of ${storyLanguages.join()} (${ofModel('base').join()}; tiny.en: en)
  --readers COUNT    of a story: 1 or 2 (2)
  --variant NAME     simd or relaxed (simd)
  --dtype NAME       weight format (q8_0)
  --update           writes the table into docs/dev/accuracy.md`;

const ways = { 'in sequence': { conditionOnPreviousText: true }, 'in chunks': {} };

const sum = (values) => values.reduce((total, value) => total + value, 0);
const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;

/** What is wrong in a recording. */
function counts({ truth, names }, { text, repetitions, seconds }) {
  const [said, heard] = [units(truth), units(text)];
  const found = nameSpellings(
    said,
    heard,
    names.map((name) => units(name)[0]),
  );
  const spellings = [...found.spellings.values()].map(({ size }) => size);
  return {
    ...{ words: said.length, errors: compareWords(said, heard).errors },
    ...{ names: found.said, right: found.right, spellings: sum(spellings), named: names.length },
    ...{ looped: loopedWords(heard), repetitions, seconds },
  };
}

function tableRow(recordings, way, all) {
  const total = (name) => sum(all.map((one) => one[name]));
  return {
    recordings,
    way,
    words: total('words').toLocaleString('en'),
    wrong: percent(total('errors'), total('words')),
    'names right': `${total('right')} of ${total('names')}`,
    'spellings of a name': (total('spellings') / total('named')).toFixed(2),
    'loops cut': total('repetitions'),
    'words in loops': total('looped'),
    'processor time': `${Math.round(total('seconds'))} s`,
  };
}

await main(async () => {
  const { values } = readArguments({
    options: {
      model: { type: 'string', default: 'base' },
      languages: { type: 'string' },
      readers: { type: 'string', default: '2' },
      variant: { type: 'string', default: 'simd' },
      dtype: { type: 'string', default: 'q8_0' },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  if (!isTrainedName(values.model)) throw new StepError(`--model: not ${values.model}.`);
  const languages = values.languages?.split(',') ?? ofModel(values.model);
  const unknown = languages.find((one) => !storyLanguages.includes(one));
  if (unknown !== undefined) throw new StepError(`--languages: there is no story in ${unknown}.`);
  if (!['1', '2'].includes(values.readers)) throw new StepError('--readers: not 1 or 2.');

  const model = await ensureTrainedModel({ name: values.model, dtype: values.dtype });
  const all = stories();
  const found = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  const rows = [];
  for (const language of languages) {
    const recordings = all
      .filter((one) => one.language === language)
      .slice(0, Number(values.readers));
    for (const [way, how] of Object.entries(ways)) {
      const options = { vad: true, language, ...how };
      const heard = await heardIn(
        { model, variant: values.variant, options },
        'stories',
        recordings,
      );
      const counted = recordings.map((one, i) => counts(one, heard[i]));
      rows.push(...counted.map((one, i) => tableRow(recordings[i].name, way, [one])));
      found[way].push(...counted);
      console.error(Object.values(rows.at(-1)).join(', '));
    }
  }
  rows.sort((a, b) => a.recordings.localeCompare(b.recordings));
  for (const [way, counted] of Object.entries(found)) rows.push(tableRow('all', way, counted));
  const table = markdownTable(rows, 2);
  console.log(table);
  if (values.update) await updatePage({ chunks: table });
});
