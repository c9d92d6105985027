// npm run evaluate: word errors of trained tiny.en in every weight format, on speech whose truth is known.
import { weightTypes } from '../facts/read_facts.mjs';
import { openReference } from '../reference/setup.mjs';
import { main, readArguments, StepError } from '../toolchain/steps.mjs';
import { ensureTrainedModel } from '../trained_model.mjs';
import { heardIn } from './hearing.mjs';
import { normalisedWords } from './normalised_words.mjs';
import { recordingSets } from './speech/recording_sets.mjs';
import { updatePage } from './update_page.mjs';
import { measured, tables } from './word_tables.mjs';

const usage = `npm run evaluate -- [options]

Word errors of tiny.en in every weight format, simd and relaxed, greedy and with beams, against f32 weights. Needs a build,
Python for the reference's normaliser, and flite, espeak-ng and sox. What was measured is kept: a run that was stopped goes on.

  --dtypes LIST       weight formats (all); f32 is always measured
  --variants LIST     engines (relaxed,simd)
  --strategies LIST   greedy,beam
  --options JSON      further options of transcribe()
  --kept              measures nothing: shows what earlier runs have measured
  --update            writes the tables into docs/dev/accuracy.md
  --errors            prints every word that differs from the truth, too
  --quick             f32 on the demo page's sentences, words as they are: whether it works, with trained weights alone`;

const strategies = { greedy: {}, beam: { beamSize: 5 } };

function listOption(name, text, known) {
  const names = text.split(',');
  const unknown = names.filter((one) => !known.includes(one));
  if (unknown.length === 0) return names;
  throw new StepError(`--${name}: not ${unknown.join(', ')} but of ${known.join(', ')}.`);
}

await main(async () => {
  const { values } = readArguments({
    options: {
      dtypes: { type: 'string', default: weightTypes.join() },
      variants: { type: 'string', default: 'relaxed,simd' },
      strategies: { type: 'string', default: Object.keys(strategies).join() },
      options: { type: 'string', default: '{}' },
      kept: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      errors: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  if (values.quick)
    Object.assign(values, { dtypes: 'f32', variants: 'simd', strategies: 'greedy' });
  const dtypes = new Set(['f32', ...listOption('dtypes', values.dtypes, weightTypes)]);
  const variants = listOption('variants', values.variants, ['simd', 'relaxed']);
  const ways = listOption('strategies', values.strategies, Object.keys(strategies));
  const reference = values.quick ? undefined : await openReference();
  const set = values.quick ? 'quick' : 'recordings';
  try {
    const recordings = recordingSets[set]();
    const truths = recordings.map(({ truth, reference }) => truth ?? reference);
    const expected = await normalisedWords(reference, truths);
    const rows = [];
    for (const strategy of ways) {
      for (const variant of variants) {
        let f32;
        for (const dtype of dtypes) {
          const model = await ensureTrainedModel({ dtype });
          const options = { ...strategies[strategy], ...JSON.parse(values.options) };
          const job = { model, variant, options };
          const results = await heardIn(job, set, recordings, values.kept);
          if (!results) continue;
          const texts = results.map(({ text }) => text);
          const heard = await normalisedWords(reference, texts);
          if (dtype === 'f32') f32 = heard;
          if (!f32) break;
          const row = { strategy, variant, dtype, ...measured(recordings, expected, heard, f32) };
          console.error(`${strategy}, ${variant}, ${dtype}: ${row.errors} of ${row.words} words`);
          rows.push(row);
          if (!values.errors) continue;
          for (const [i, { name }] of recordings.entries()) {
            console.log(
              `${name}\n  said:  ${expected[i].join(' ')}\n  heard: ${heard[i].join(' ')}`,
            );
          }
        }
      }
    }
    const sections = tables(rows);
    console.log(Object.values(sections).join('\n\n'));
    if (values.update) await updatePage(sections);
  } finally {
    reference?.close();
  }
});
