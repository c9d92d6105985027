// npm run evaluate:word-times: the times of words against marks made by hand (word_times.json), for this package and the reference.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { main, readArguments, root, StepError } from '../toolchain/steps.mjs';
import { ensureTrainedModel } from '../trained_model.mjs';
import { markdownTable } from './accuracy/table.mjs';
import { hearLive, noTime } from './live/hear.mjs';
import { ownStream } from './live/systems.mjs';
import { sharedRecordings } from './speech/shared_recordings.mjs';
import { updatePage } from './update_page.mjs';
import { quantile } from '../statistics.mjs';
import { wavSamples } from '../wav_samples.mjs';
import { timeErrors } from './word_time_errors.mjs';

const usage = `npm run evaluate:word-times -- [options]

How far the starts and ends of words in three shared recordings are from marks made by hand: tiny.en in this package, by default,
live and with compatibility: 'openai', and the reference with the same weights in float32. Needs a build.

  --dtype NAME        weight format (q8_0)
  --variant NAME      engine (simd)
  --update            writes the table into docs/dev/accuracy.md
  --errors            prints every boundary that is more than 0.2 s off, too
  --made FOLDER       recordings of scripts/evaluate/speech/timed_speech.py instead of the shared ones
  --quick             one recording: whether it works`;

const { recordings: marked } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'word_times.json'), 'utf8'),
);
const milliseconds = (seconds) => Math.round(1000 * seconds);
const percent = (share) => `${(100 * share).toFixed(0)} %`;

function columns(name, all) {
  const cells = { 'times of': name };
  for (const side of ['start', 'end']) {
    const signed = all.filter((one) => one.side === side).map(({ difference }) => difference);
    const errors = signed.map(Math.abs);
    const within = (seconds) => errors.filter((error) => error <= seconds + 1e-9).length;
    cells[`${side}s`] = errors.length;
    cells[`${side}: bias`] = milliseconds(quantile(signed, 0.5));
    cells[`${side}: median`] = milliseconds(quantile(errors, 0.5));
    cells[`${side}: 90 %`] = milliseconds(quantile(errors, 0.9));
    cells[`${side} ≤ 100 ms`] = percent(within(0.1) / errors.length);
    cells[`${side} ≤ 200 ms`] = percent(within(0.2) / errors.length);
  }
  return cells;
}

await main(async () => {
  const { values } = readArguments({
    options: {
      dtype: { type: 'string', default: 'q8_0' },
      variant: { type: 'string', default: 'simd' },
      update: { type: 'boolean', default: false },
      errors: { type: 'boolean', default: false },
      made: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const made = values.made && JSON.parse(readFileSync(join(values.made, 'truth.json'), 'utf8'));
  const marks = made ?? marked;
  const recordings = made
    ? Object.keys(made).map((name) => ({
        name,
        samples: wavSamples(readFileSync(join(values.made, name))),
      }))
    : sharedRecordings().filter(({ name }) => marked[name]);
  if (recordings.length !== Object.keys(marks).length) {
    throw new StepError('A marked recording is not in the shared folder.');
  }
  const { loadModel } = await import(join(root, 'dist/node.mjs'));
  const { dtype, variant } = values;
  const model = await loadModel(await ensureTrainedModel({ dtype }), { variant });
  const heardBy = (options) => async (samples) => {
    const { segments } = await model.transcribe(samples, {
      vad: false,
      timestamps: 'word',
      ...options,
    });
    return segments.flatMap((segment) => segment.words);
  };
  const heardLive = async (samples) => {
    const open = async (onEvent) => ownStream(model.stream(), onEvent);
    const { deliveries } = await hearLive(open, samples, noTime, 0.1);
    return deliveries.flatMap(({ event }) => (event.type === 'final' ? event.words : []));
  };
  const sources = {
    [`Susurrus, ${dtype}, ${variant}`]: heardBy({}),
    'the same, model.stream()': heardLive,
    "the same, compatibility: 'openai'": heardBy({ compatibility: 'openai' }),
    ...(!made && { 'openai-whisper, float32': (_, referenceWords) => referenceWords }),
  };
  const rows = [];
  try {
    for (const [source, heard] of Object.entries(sources)) {
      const all = [];
      for (const { name, samples, referenceWords } of recordings.slice(
        0,
        values.quick ? 1 : Infinity,
      )) {
        const found = timeErrors(marks[name], await heard(samples, referenceWords));
        for (const { word, side, mark, difference } of found) {
          if (!values.errors || Math.abs(difference) <= 0.2) continue;
          console.log(`${source}, ${name}: ${word} ${side} ${mark}: ${difference.toFixed(2)} s`);
        }
        all.push(...found);
      }
      rows.push(columns(source, all));
    }
  } finally {
    model.dispose();
  }
  const table = markdownTable(rows, 1);
  console.log(table);
  if (values.update && !made) await updatePage({ 'word-times': table });
});
