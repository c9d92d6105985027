// npm run evaluate:accuracy: how far each weight format is from f32 weights, and from f32 weights of the same values, in
// each variant; on the digits model and on random models of Whisper's dimensions. Needs the shared folder and a build.
//
//   node scripts/evaluate/accuracy/accuracy.mjs [--models A;B] [--formats f16,q8_0] [--variants simd,relaxed]
//       [--windows 4] [--positions 64] [--dist FOLDER] [--rows FILE] [--keep-files] [--json]
//       [--markdown]
//
// With --rows, measurements are added to that file, in the place of earlier ones of the same kind, and all of it is shown: the
// whole table takes long and can be made in parts, for which the model files in build/accuracy can be kept.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { speechless } from '../signals.mjs';
import { main, root, StepError } from '../../toolchain/steps.mjs';
import { hasGoal, missedGoals } from './goals.mjs';
import { follow, wander } from './hearing.mjs';
import { folders, ModelFiles, shared, window } from './models.mjs';
import { weightTypes } from '../../facts/read_facts.mjs';
import { hasSettledRelaxedSimd } from '../../toolchain/node_flags.mjs';
import { RawModel } from './raw_engine.mjs';
import { medianMargin, summarise } from './summary.mjs';
import { asMarkdown, tableRow } from './table.mjs';
import { changedWords, heardWords } from './words.mjs';

/** f32 is what the others are compared with. */
const allFormats = weightTypes.filter((type) => type !== 'f32');

const sounds = {
  random: () => [
    window('recordings/audio/lecture.wav'),
    window('recordings/audio/licence.wav', 30),
    window('recordings/audio/jfk.wav'),
    speechless['noise at -30 dB, 10 s'](),
  ],
  digits: () => [
    window('recordings/audio/digits.wav'),
    window('digits-model/eval/medium-0.wav'),
    window('digits-model/eval/medium-2.wav'),
    window('digits-model/eval/short-2.wav'),
  ],
};

/** What is compared of one model on one variant. */
class Comparison {
  constructor(api, dist, model, variant, { windows, positions }) {
    Object.assign(this, { api, dist, model, variant, positions });
    this.isDigits = model === 'digits';
    this.windows = sounds[this.isDigits ? 'digits' : 'random']().slice(0, windows);
  }

  async #words(path) {
    const model = await this.api.loadModel(path, { variant: this.variant });
    try {
      return await heardWords(model);
    } finally {
      model.dispose();
    }
  }

  /** The tokens that f32 weights decode, without timestamps. */
  async #decoded(path) {
    const model = await this.api.loadModel(path, { variant: this.variant });
    const options = { timestamps: 'none', temperature: 0, compatibility: 'openai' };
    const histories = [];
    for (const samples of this.windows) {
      histories.push((await model.decode(samples, options)).tokens);
    }
    model.dispose();
    return histories;
  }

  /** f32 weights: what the others are measured by. */
  async begin(path) {
    const model = await RawModel.load(this.dist, path, this.variant);
    const { dims, special, multilingual } = model.facts;
    this.width = dims.nAudioState;
    const { startOfTranscript: start, transcribe, noTimestamps } = special;
    this.prompt = multilingual
      ? [start, start + 1, transcribe, noTimestamps]
      : [start, noTimestamps];
    if (this.isDigits) {
      this.histories = await this.#decoded(path);
      this.heard = follow(model, this.windows, this.prompt, this.histories);
      this.words = await this.#words(path);
    } else {
      const { windows, prompt, positions } = this;
      const wandered = wander(model, windows, prompt, special.endOfText, positions);
      this.heard = wandered.heard;
      this.histories = wandered.histories;
    }
    return { margin: medianMargin(this.heard) };
  }

  async #listen(path, hearsWords) {
    const model = await RawModel.load(this.dist, path, this.variant);
    return {
      heard: follow(model, this.windows, this.prompt, this.histories),
      words: this.isDigits && hearsWords ? await this.#words(path) : undefined,
    };
  }

  #summary(actual, expected) {
    return {
      ...summarise(actual.heard, expected.heard, this.width),
      ...(actual.words &&
        expected.words && {
          digitWords: changedWords(actual.words.digits, expected.words.digits),
          otherWords: changedWords(actual.words.others, expected.words.others),
        }),
    };
  }

  async row(dtype, files) {
    const actual = await this.#listen(await files.converted(dtype), true);
    const same = await this.#listen(await files.sameValues(dtype), hasGoal(dtype));
    return {
      model: this.model,
      variant: this.variant,
      dtype,
      weights: this.#summary(actual, this),
      same: this.#summary(actual, same),
      rounding: this.#summary(same, this),
    };
  }
}

async function compareModel(api, dist, model, variants, formats, options, add) {
  const files = new ModelFiles(api, model, await folders[model]());
  try {
    for (const variant of variants) {
      const comparison = new Comparison(api, dist, model, variant, options);
      const { margin } = await comparison.begin(await files.converted('f32'));
      console.error(
        `${model}, ${variant}: the best two logits are ${margin.toFixed(2)} deviations apart (median)`,
      );
      for (const dtype of formats) {
        const begun = performance.now();
        const row = { ...(await comparison.row(dtype, files)), margin };
        const seconds = (performance.now() - begun) / 1000;
        const percent = (share) => `${(100 * share).toFixed(1)} %`;
        console.error(
          `  ${dtype}: ${percent(row.weights.top1)} of the largest logits as with f32 weights, ` +
            `${percent(row.same.top1)} as with the same values in f32 (${seconds.toFixed(0)} s)`,
        );
        add(row);
      }
    }
  } finally {
    if (!options.keepsFiles) files.clear();
  }
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      models: { type: 'string', default: Object.keys(folders).join(';') },
      formats: { type: 'string', default: allFormats.join() },
      variants: { type: 'string', default: 'simd,relaxed' },
      windows: { type: 'string', default: '4' },
      positions: { type: 'string', default: '64' },
      dist: { type: 'string', default: join(root, 'dist') },
      rows: { type: 'string' },
      'keep-files': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
    },
  });
  const models = values.models.split(';');
  const formats = values.formats.split(',');
  const unknown = [
    ...models.filter((name) => !(name in folders)),
    ...formats.filter((name) => !allFormats.includes(name)),
  ];
  if (unknown.length > 0) throw new StepError(`Nothing is known of ${unknown.join(', ')}`);
  if (!existsSync(shared)) throw new StepError(`${shared} is wanted, and is not there`);
  const variants = values.variants.split(',');
  if (variants.includes('relaxed') && !hasSettledRelaxedSimd()) {
    throw new StepError('This Node has no sound relaxed SIMD.', 'Use Node 22 or --variants simd.');
  }

  const dist = resolve(values.dist);
  const api = {
    ...(await import(join(dist, 'node.mjs'))),
    ...(await import(join(dist, 'model_files.node.mjs'))),
  };
  const options = {
    windows: Number(values.windows),
    positions: Number(values.positions),
    keepsFiles: values['keep-files'],
  };
  let rows =
    values.rows && existsSync(values.rows) ? JSON.parse(readFileSync(values.rows, 'utf8')) : [];
  const add = (row) => {
    const isOther = (one) => ['model', 'variant', 'dtype'].some((key) => one[key] !== row[key]);
    rows = [...rows.filter(isOther), row];
    if (values.rows) writeFileSync(values.rows, `${JSON.stringify(rows, null, 1)}\n`);
  };
  for (const model of models) {
    await compareModel(api, dist, model, variants, formats, options, add);
  }
  if (values.json) console.log(JSON.stringify(rows, null, 2));
  else if (values.markdown) console.log(asMarkdown(rows));
  else console.table(rows.map(tableRow));
  for (const missed of missedGoals(rows)) console.error(`Goal missed: ${missed}`);
});
