// npm start: from a fresh clone to a transcript and the demo page. Uses only Node's own modules.
//
//   npm start                             the bundled sample, then the page  (-- --port N, -- --no-serve)
//   npm start -- AUDIO... [--model FILE]  these files, and nothing else
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildParts } from './build.mjs';
import { portFrom, serve } from './serve_demo.mjs';
import { main, root, splitArguments, StepError } from './toolchain/steps.mjs';

const sample = join(root, 'web/demo/sample.wav');

/** Runs the command line that was just built; its output is the user's. */
function susurrus(args) {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [join(root, 'dist/cli.mjs'), ...args], {
      stdio: 'inherit',
    });
    child.on('error', failed);
    child.on('close', (code) => done(code ?? 128));
  });
}

async function transcribe(args) {
  const status = await susurrus(['transcribe', '--stats', ...args]);
  if (status !== 0) {
    throw new StepError(`Transcription ended with status ${status}; the reason stands above.`);
  }
}

await main(async () => {
  const { values, rest } = splitArguments(process.argv.slice(2), {
    port: { type: 'string' },
    'no-serve': { type: 'boolean' },
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

  if (files.length > 0) return transcribe(rest);
  await transcribe([sample, ...rest]);
  if (!values['no-serve']) {
    const { address } = await serve({ port });
    console.log(`\nThe demo page: ${address}   (Ctrl+C ends it)`);
  }
});
