// npm run test:reference: Susurrus beside the unmodified openai-whisper, or april-asr, on cases drawn from a seed.
import { fork } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { relaxedSimdFlags } from '../toolchain/node_flags.mjs';
import { root, step, StepError } from '../toolchain/steps.mjs';
import { testApril } from './april.mjs';
import { isTrainedName } from '../trained_model.mjs';
import { prepareModels, prepareRecordings } from './material.mjs';
import { ReferenceProcess } from './reference_process.mjs';
import { differenceText, summary } from './report.mjs';
import {
  ensureReference,
  mainWithReference,
  noReferenceStatus,
  referenceFolder,
} from './setup.mjs';
import { wholeRecordings } from './whole_recordings.mjs';

const usage = `npm run test:reference -- [options]

Draws cases from a seed, runs each with the unmodified openai-whisper and with Susurrus, and compares everything.

  --engine NAME     whisper (the default), or april: streams of .april models beside april-asr, with --cases, --first,
                    --only, --seed and --variant
  --cases N         how many (500)
  --first N         number of the first (0); goes on where a run was stopped
  --only N[,N...]   these cases alone
  --seed TEXT       what they are drawn from (1)
  --model FOLDER    a Whisper folder of the hub rather than the golden models; or tiny.en or base: trained weights, which are
                    fetched. Those run on each recording of the shared folder as it is, in both variants, unless --cases,
                    --first or --only asks for drawn cases
  --copies N        copies of each model with noise on the weights (4; 0 with --model)
  --audio FILES     recordings rather than those of the shared folder
  --variant NAME    simd (the default) or relaxed; of whole recordings both, without it
  --jobs N          processes (2)
  --log FILE        a line of JSON for each case

Status: 0 all equal or fragile, 1 some differ, 2 it could not run, ${noReferenceStatus} no reference.`;

const variants = ['simd', 'relaxed'];

function parsedArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        engine: { type: 'string', default: 'whisper' },
        cases: { type: 'string' },
        first: { type: 'string' },
        only: { type: 'string' },
        seed: { type: 'string', default: '1' },
        model: { type: 'string' },
        copies: { type: 'string' },
        audio: { type: 'string', multiple: true, default: [] },
        variant: { type: 'string' },
        jobs: { type: 'string', default: `${Math.min(2, availableParallelism())}` },
        log: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new StepError(error.message, usage);
  }
}

function wholeNumber(name, text, least) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new StepError(`--${name} takes a whole number from ${least}; not "${text}".`);
}

/** What the command line asks for. */
function settings() {
  const { values, positionals } = parsedArguments();
  if (positionals.length > 0 && values.audio.length === 0) {
    throw new StepError(`What is "${positionals[0]}"?`, usage);
  }
  if (!['whisper', 'april'].includes(values.engine)) {
    throw new StepError(`--engine is whisper or april; not "${values.engine}".`);
  }
  if (![undefined, ...variants].includes(values.variant)) {
    throw new StepError(`--variant is simd or relaxed; not "${values.variant}".`);
  }
  const first = wholeNumber('first', values.first ?? '0', 0);
  const count = wholeNumber('cases', values.cases ?? '500', 1);
  const isDrawn = [values.cases, values.first, values.only].some((value) => value !== undefined);
  const isWhole = isTrainedName(values.model ?? '') && !isDrawn;
  return {
    help: values.help,
    engine: values.engine,
    seed: values.seed,
    model: values.model,
    copies: wholeNumber('copies', values.copies ?? (values.model ? '0' : '4'), 0),
    // A shell gives the other files of a pattern without the option's name.
    audio: values.audio.length > 0 ? [...values.audio, ...positionals] : [],
    isWhole,
    variant: values.variant ?? (isWhole ? undefined : 'simd'),
    jobs: wholeNumber('jobs', values.jobs, 1),
    log: values.log,
    indices: values.only
      ? values.only.split(',').map((text) => wholeNumber('only', text, 0))
      : Array.from({ length: count }, (_, i) => first + i),
  };
}

/** The command that repeats one case: what was asked for, without what chose the cases. */
function againCommand(index, { seed, model, copies, audio, variant }, { cases, recordings }) {
  if (cases) {
    const [{ recording }] = cases[index].audio.parts;
    const { path } = recordings.find(({ name }) => name === recording);
    return `npm run test:reference -- --model ${model} --audio ${path} --variant ${variant}`;
  }
  return [
    ...['npm run test:reference --', `--seed ${seed}`],
    ...(model ? [`--model ${model}`] : []),
    `--copies ${copies}`,
    ...audio.map((path) => `--audio ${path}`),
    ...(variant === 'simd' ? [] : [`--variant ${variant}`]),
    `--only ${index}`,
  ].join(' ');
}

/** Gives the cases to a process until none is left; a process that dies costs its case and is replaced. */
async function runLane(plan, flags, waiting, report) {
  let lane;
  const start = () => {
    lane = fork(join(import.meta.dirname, 'lane.mjs'), {
      execArgv: [...flags, '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    lane.errors = '';
    lane.stderr.on('data', (text) => {
      lane.errors = (lane.errors + text).slice(-4000);
    });
    lane.send({ plan });
  };
  while (waiting.length > 0) {
    if (!lane?.connected) start();
    const index = waiting.shift();
    report(
      await new Promise((done) => {
        const ended = (code, signal) => {
          const susurrus = `the process ended (${signal ?? code}): ${lane.errors}`;
          done({ index, status: 'different', differences: [{ field: 'process', susurrus }] });
        };
        lane.once('close', ended);
        lane.once('message', (outcome) => {
          lane.off('close', ended);
          done(outcome);
        });
        lane.send({ index });
      }),
    );
  }
  if (lane?.connected) lane.disconnect();
}

async function compareAll(asked, plan, scratch, flags) {
  const outcomes = [];
  const waiting = plan.cases ? [...plan.cases.keys()] : [...asked.indices];
  const count = waiting.length;
  const started = performance.now();
  const report = (outcome) => {
    outcomes.push(outcome);
    if (asked.log)
      appendFileSync(asked.log, `${JSON.stringify({ variant: plan.variant, ...outcome })}\n`);
    if (outcome.status !== 'equal') {
      console.log(differenceText(outcome, againCommand(outcome.index, asked, plan)));
    }
    if (outcomes.length % 50 === 0) {
      const minutes = ((performance.now() - started) / 60_000).toFixed(1);
      console.log(`· ${outcomes.length} of ${count} cases (${minutes} min)`);
    }
  };
  const lanes = Array.from({ length: Math.min(asked.jobs, waiting.length) }, (_, i) =>
    runLane({ ...plan, samplesFile: join(scratch, `case${i}.f32`) }, flags, waiting, report),
  );
  await Promise.all(lanes);
  return outcomes.sort((a, b) => a.index - b.index);
}

async function prepare({ model, copies, audio, seed, isWhole }, { python, ...places }) {
  const reference = new ReferenceProcess(python);
  try {
    return {
      models: await prepareModels({ named: model, copies, seed, reference, ...places }),
      recordings: await prepareRecordings({
        ...{ named: audio, isSpeech: isWhole, reference },
        ...places,
      }),
    };
  } finally {
    reference.close();
  }
}

async function testReference(asked) {
  if (!existsSync(join(root, 'dist/node.mjs'))) {
    throw new StepError('There is no build in dist.', 'Build it first: npm run build.');
  }
  const flags = { simd: [], relaxed: relaxedSimdFlags() };
  const chosen = asked.variant ? [asked.variant] : variants;
  if (chosen.some((variant) => !flags[variant])) {
    throw new StepError('This Node has no relaxed SIMD.', '--variant simd goes without.');
  }
  const { python, about } = await ensureReference();
  mkdirSync(referenceFolder, { recursive: true });
  const scratch = mkdtempSync(join(referenceFolder, 'run-'));
  // A build that is made meanwhile changes nothing.
  const engine = join(scratch, 'dist/node.mjs');
  cpSync(join(root, 'dist'), dirname(engine), { recursive: true });
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(2));
  const { seed } = asked;
  const versions = Object.entries(about.versions).map((pair) => pair.join(' '));
  console.log(
    `openai-whisper ${about.version}, unmodified (Python ${about.python}, ${versions.join(', ')})`,
  );
  const { models, recordings } = await step('preparing models and recordings', () =>
    prepare(asked, { python, scratch, engine, assets: about.assets }),
  );
  const cases = asked.isWhole ? wholeRecordings(models, recordings) : undefined;
  if (asked.log) writeFileSync(asked.log, '');
  process.exitCode = 0;
  for (const variant of chosen) {
    const plan = { python, engine, models, recordings, seed, variant, cases };
    const outcomes = await compareAll({ ...asked, variant }, plan, scratch, flags[variant]);
    console.log(`\n${variant}\n${summary(outcomes)}`);
    if (outcomes.some(({ status }) => status === 'different')) process.exitCode = 1;
  }
}

await mainWithReference(async () => {
  const asked = settings();
  if (asked.help) console.log(usage);
  else if (asked.engine === 'april') await testApril(asked);
  else await testReference(asked);
});
