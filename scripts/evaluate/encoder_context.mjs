// npm run evaluate:context: what encoderContext costs in words and saves in work, with trained tiny.en.
import { openReference } from '../reference/setup.mjs';
import { main, readArguments, StepError } from '../toolchain/steps.mjs';
import { ensureTrainedModel } from '../trained_model.mjs';
import { markdownTable } from './accuracy/table.mjs';
import { heardIn } from './hearing.mjs';
import { normalisedWords } from './normalised_words.mjs';
import { recordingSets } from './speech/recording_sets.mjs';
import { updatePage } from './update_page.mjs';
import { compareWords } from './word_errors.mjs';

const usage = `npm run evaluate:context -- [options]

Word errors of tiny.en with encoderContext, against the full context: on clips of one to three sentences, and on the recordings
of npm run evaluate, most of which are longer than a window. Needs what that needs. What was measured is kept.

  --sets LIST         clips,recordings
  --contexts LIST     full,auto, and numbers of positions (full,auto); full is always measured
  --variants LIST     engines (relaxed)
  --dtype NAME        weight format (q8_0)
  --update            writes the table into docs/dev/accuracy.md
  --quick             the demo page's sentences, words as they are: whether it works, with trained weights alone`;

function contextOption(text) {
  if (text === 'full' || text === 'auto') return text;
  if (/^\d+$/.test(text)) return Number(text);
  throw new StepError(`--contexts: not ${text} but full, auto or a number.`);
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const percent = (part, whole) => `${((100 * part) / whole).toFixed(0)} %`;

/** Errors in `heard`, and the standard error of their difference to `full` (each clip by itself), in points. */
function errorColumns(expected, heard, full) {
  const words = sum(expected.map(({ length }) => length));
  const errors = expected.map((truth, i) => compareWords(truth, heard[i]).errors);
  const more = expected.map((truth, i) => errors[i] - compareWords(truth, full[i]).errors);
  const points = (count) => ((100 * count) / words).toFixed(2);
  const signed = `${sum(more) < 0 ? '−' : '+'}${points(Math.abs(sum(more)))}`;
  return {
    'word errors': `${sum(errors)} of ${words}`,
    rate: `${points(sum(errors))} %`,
    'points more': `${signed} ± ${points(Math.sqrt(sum(more.map((x) => x * x))))}`,
    'words unlike full': sum(heard.map((each, i) => compareWords(full[i], each).errors)),
  };
}

await main(async () => {
  const { values } = readArguments({
    options: {
      sets: { type: 'string', default: 'clips,recordings' },
      contexts: { type: 'string', default: 'full,auto' },
      variants: { type: 'string', default: 'relaxed' },
      dtype: { type: 'string', default: 'q8_0' },
      update: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  if (values.quick) Object.assign(values, { sets: 'quick', variants: 'simd' });
  const contexts = [...new Set(['full', ...values.contexts.split(',')])].map(contextOption);
  const model = await ensureTrainedModel({ dtype: values.dtype });
  const reference = values.quick ? undefined : await openReference();
  const rows = [];
  try {
    for (const set of values.sets.split(',')) {
      if (!recordingSets[set]) throw new StepError(`--sets: there is no set ${set}.`);
      const all = recordingSets[set]();
      const recordings = all.filter(({ truth }) => truth !== undefined);
      const truths = recordings.map(({ truth }) => truth);
      const expected = await normalisedWords(reference, truths);
      for (const variant of values.variants.split(',')) {
        let full;
        for (const encoderContext of contexts) {
          const options = encoderContext === 'full' ? {} : { encoderContext };
          const results = await heardIn({ model, variant, options }, set, recordings);
          const texts = results.map(({ text }) => text);
          const heard = await normalisedWords(reference, texts);
          const total = (name) => sum(results.map((result) => result[name]));
          const [positions, seconds] = [total('positions'), total('seconds')];
          full ??= { heard, positions, seconds };
          rows.push({
            recordings: `${recordings.length} ${set}, ${variant}`,
            encoderContext: `${encoderContext}`,
            ...errorColumns(expected, heard, full.heard),
            'encoded again': `${total('isEncodedAgain')} of ${recordings.length}`,
            positions: percent(positions, full.positions),
            'processor time': percent(seconds, full.seconds),
          });
          console.error(Object.values(rows.at(-1)).join(', '));
        }
      }
    }
  } finally {
    reference?.close();
  }
  const table = markdownTable(rows, 2);
  console.log(table);
  if (values.update) await updatePage({ 'encoder-context': table });
});
