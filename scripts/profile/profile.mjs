// npm run profile: where the time of a transcription goes, by source folder. usage says what can be chosen.
//
// The engine is linked once more from the objects of the last build, with the names of its functions; what runs is the same
// code. A function counts for the folder it is linked from, with all that the compiler has inlined into it.
import { fork } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { whisper } from '../facts/read_facts.mjs';
import { benchAudio, benchModel, readRecording } from '../bench/models.mjs';
import { formatTable, number } from '../bench/table.mjs';
import { buildParts } from '../build.mjs';
import { filesBelow } from '../check_layers.mjs';
import { relaxedSimdFlags } from '../toolchain/node_flags.mjs';
import { main, root, run, step, StepError } from '../toolchain/steps.mjs';
import { ensureTrainedModel } from '../trained_model.mjs';
import { emscriptenEnvironment, ensureTools } from '../toolchain/tools.mjs';
import { readLinkMap } from './link_map.mjs';
import { outside, selfTimes } from './shares.mjs';

const usage = `npm run profile -- [options]: a recording transcribed under V8's sampling profiler

  --minutes N              length of the recording (10; with --trained, that of the files)
  --audio FILES            16 kHz mono WAV files, in turn, as often as needed; else noise
  --variant simd|relaxed   the engine (relaxed)
  --size tiny|base|small   Whisper's dimensions, with random weights in Q8_0 (tiny)
  --tokens N               tokens of each window (100)
  --trained                a usual call with trained tiny.en, whose weights are fetched; needs --audio
  --functions N            how many functions are listed (15)
  --node PATH              another Node than this one
  --save FILE              the profile itself, for Chrome's DevTools
  --quick                  six seconds in the engine of the last build, without names: whether it works
  --json                   instead of tables`;

const options = {
  minutes: { type: 'string' },
  audio: { type: 'string', multiple: true, default: [] },
  variant: { type: 'string', default: 'relaxed' },
  size: { type: 'string', default: 'tiny' },
  tokens: { type: 'string', default: '100' },
  trained: { type: 'boolean', default: false },
  functions: { type: 'string', default: '15' },
  node: { type: 'string', default: process.execPath },
  quick: { type: 'boolean', default: false },
  save: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

/** The places where the time should go. */
const expected = ['src/kernels', 'src/audio', 'src/decode'];

const folder = join(root, 'build/profile');

/** The package in build/profile with a named engine; returns the places of its functions. */
async function linkNamedEngine(variant) {
  const { emcc, ninja } = await ensureTools(['emcc', 'ninja']);
  const built = join(root, 'build/wasm');
  const { output } = await run(ninja, ['-C', built, '-t', 'commands', `engine_${variant}`]);
  const name = `engine.${variant}`;
  const emscriptenModule = join(folder, `${name}.mjs`);
  const map = join(folder, `${name}.map`);
  const command = output
    .trim()
    .split('\n')
    .at(-1)
    .replace(/ --emit-tsd \S+/, '')
    .replace(` -o ${name}.mjs`, ` -o '${emscriptenModule}' --profiling-funcs -Wl,-Map='${map}'`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await step('linking with names', () =>
    run('sh', ['-c', command], { cwd: built, env: emscriptenEnvironment(emcc) }),
  );
  for (const file of readdirSync(join(root, 'dist')).filter((path) => path.endsWith('.mjs'))) {
    cpSync(join(root, 'dist', file), join(folder, file));
  }
  const code = readFileSync(emscriptenModule, 'utf8').replaceAll('import.meta.url', 'undefined');
  writeFileSync(join(folder, 'engine.mjs'), code);
  return readLinkMap(readFileSync(map, 'utf8'), filesBelow('src', /\.cc$/));
}

/** A file of raw samples: the parts in turn, for so many minutes or each of them once. */
function writeRecording(parts, minutes) {
  const once = parts.reduce((sum, part) => sum + part.length, 0);
  const samples = new Float32Array(minutes ? 60 * Number(minutes) * whisper.sampleRate : once);
  for (let place = 0, i = 0; place < samples.length; ++i) {
    const part = parts[i % parts.length].subarray(0, samples.length - place);
    samples.set(part, place);
    place += part.length;
  }
  const path = join(folder, 'recording.f32');
  writeFileSync(path, new Uint8Array(samples.buffer));
  return path;
}

async function runProfiled(node, job) {
  const flags = job.variant === 'relaxed' ? relaxedSimdFlags(node) : [];
  if (!flags) throw new StepError(`${node} has no relaxed SIMD.`, 'Use --variant simd.');
  const child = fork(join(import.meta.dirname, 'profiled_run.mjs'), [], {
    ...{ execPath: node, execArgv: flags, serialization: 'advanced' },
  });
  const answer = await new Promise((done, failed) => {
    child.once('message', done);
    child.once('error', failed);
    child.once('exit', (code) => failed(new StepError(`The profiled run ended with ${code}.`)));
    child.send(job);
  });
  if (answer.error) throw new StepError(answer.error);
  return answer;
}

function toText(times, facts, functionCount) {
  const share = ({ ms }) => `${number((100 * ms) / times.total, 2)} %`;
  const columns = [
    ['time in', ({ place }) => place, 'text'],
    ['ms', ({ ms }) => number(ms)],
    ['share', share],
  ];
  const rest = { ms: outside(times, expected) };
  const functions = times.functions.slice(0, functionCount);
  const name = ({ name: text }) => (text.length > 90 ? `${text.slice(0, 89)}…` : text);
  return [
    `Node ${facts.node}, ${facts.duration} s, ${facts.tokens} tokens: ${number(times.total)} ms`,
    formatTable(times.places, columns),
    `outside ${expected.join(', ')}: ${share(rest)}`,
    formatTable(functions, [...columns, ['function', name, 'text']]),
  ].join('\n\n');
}

await main(async () => {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(usage);
  const { variant, size, node, trained, audio } = values;
  if (trained && audio.length === 0) throw new StepError('--trained needs --audio.', usage);
  if (values.quick) mkdirSync(folder, { recursive: true });
  else await buildParts(['wasm', 'js'], ['emcc', 'ninja']);
  const places = values.quick ? new Map() : await linkNamedEngine(variant);
  const parts = audio.map(readRecording);
  const job = trained
    ? { model: await ensureTrainedModel(), samples: writeRecording(parts, values.minutes) }
    : {
        model: join(root, await benchModel(size, 'q8_0')),
        samples: writeRecording(
          parts.length > 0 ? parts : [benchAudio(30)],
          values.minutes ?? (values.quick ? 0.1 : 10),
        ),
        tokens: Number(values.tokens),
      };
  const { profile, facts } = await runProfiled(node, {
    ...job,
    variant,
    package: join(values.quick ? join(root, 'dist') : folder, 'node.mjs'),
  });
  if (values.save) writeFileSync(resolve(values.save), JSON.stringify(profile));
  const times = selfTimes(profile, places);
  const text = values.json
    ? JSON.stringify({ ...facts, ...times, outside: outside(times, expected) }, null, 2)
    : toText(times, facts, Number(values.functions));
  console.log(text);
});
