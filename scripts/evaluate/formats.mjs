// npm run evaluate:formats: what each weight format makes of a folder of the hub: the size of its file, how far the weights
// of each kind are from those of the folder, and, of the digits model, which words change.
//
//   node scripts/evaluate/formats.mjs [--models digits,tiny.en] [--formats f16,q8_0] [--variant simd] [--dist FOLDER] [--json]
//       [--update]
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { weightTypes } from '../facts/read_facts.mjs';
import { main, root, StepError } from '../toolchain/steps.mjs';
import { folders, shared } from './accuracy/models.mjs';
import { markdownTable } from './accuracy/table.mjs';
import { changedWords, heardWords } from './accuracy/words.mjs';
import { updatePage } from './update_page.mjs';

/** Kind → its tensors, by OpenAI's names. */
const kinds = {
  attention: /attn\.\w+\.weight$/,
  MLP: /mlp\.\d\.weight$/,
  'token embedding': /^decoder\.token_embedding\.weight$/,
  convolutions: /^encoder\.conv\d\.weight$/,
  'positions and vectors': /./,
};
const kindOf = (name) => Object.keys(kinds).find((kind) => kinds[kind].test(name));

/** The largest relative error of a kind's tensors; zero where every value is kept. */
function errorsByKind(tensors) {
  const errors = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0]));
  for (const { name, relativeError } of tensors) {
    errors[kindOf(name)] = Math.max(errors[kindOf(name)], relativeError);
  }
  return errors;
}

async function wordsOf(api, path, variant) {
  const model = await api.loadModel(path, { variant });
  try {
    return await heardWords(model);
  } finally {
    model.dispose();
  }
}

async function measure(api, name, dtypes, variant, add) {
  const folder = join(root, 'build/accuracy/formats');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'model.apr');
  let expected;
  try {
    for (const dtype of dtypes) {
      const options = { dtype, force: true };
      const { byteCount, tensors } = await api.convertModel(await folders[name](), path, options);
      const row = { model: name, dtype, byteCount, errors: errorsByKind(tensors) };
      if (name === 'digits') {
        const heard = await wordsOf(api, path, variant);
        expected ??= heard;
        row.changedWords = changedWords(heard.digits, expected.digits);
      }
      add(row);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const percent = (error) => (error === 0 ? '0' : `${Number((100 * error).toPrecision(2))} %`);

/** Cells of a row by heading. */
const tableRow = (row, f32ByteCount, withDigits) => ({
  model: row.model,
  weights: row.dtype,
  bytes: row.byteCount.toLocaleString('en'),
  'of f32': percent(row.byteCount / f32ByteCount),
  ...Object.fromEntries(Object.entries(row.errors).map(([kind, error]) => [kind, percent(error)])),
  ...(withDigits && {
    'digits changed':
      row.changedWords === undefined ? '' : `${Number(row.changedWords.toFixed(1))}`,
  }),
});

await main(async () => {
  const { values } = parseArgs({
    options: {
      models: { type: 'string', default: 'digits,tiny.en' },
      formats: { type: 'string', default: weightTypes.join() },
      variant: { type: 'string', default: 'simd' },
      dist: { type: 'string', default: join(root, 'dist') },
      json: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
    },
  });
  const models = values.models.split(',');
  // What the others are compared with.
  const dtypes = [...new Set(['f32', ...values.formats.split(',')])];
  const unknown = [
    ...models.filter((name) => !(name in folders)),
    ...dtypes.filter((name) => !weightTypes.includes(name)),
  ];
  if (unknown.length > 0) throw new StepError(`Nothing is known of ${unknown.join(', ')}`);
  if (!existsSync(shared)) throw new StepError(`${shared} is wanted, and is not there`);

  const dist = resolve(values.dist);
  const api = {
    ...(await import(join(dist, 'node.mjs'))),
    ...(await import(join(dist, 'model_files.node.mjs'))),
  };
  const rows = [];
  for (const model of models) {
    await measure(api, model, dtypes, values.variant, (row) => {
      console.error(`${row.model}, ${row.dtype}: ${row.byteCount.toLocaleString('en')} bytes`);
      rows.push(row);
    });
  }
  const f32 = (model) => rows.find((row) => row.model === model && row.dtype === 'f32').byteCount;
  const table = markdownTable(
    rows.map((row) => tableRow(row, f32(row.model), models.includes('digits'))),
  );
  console.log(values.json ? JSON.stringify(rows, null, 2) : table);
  if (values.update) await updatePage({ formats: table });
});
