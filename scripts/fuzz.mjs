// Fuzzing of whatever reads what others wrote, with ASan and UBSan:
//
//   npm run fuzz -- [--seconds N] [--keep] [TARGET...]
//
// Each target (tests/fuzz/*_fuzz.cc) begins with its seeds and tests/fuzz/corpus, and is given N seconds (60). What it finds
// is written to build/fuzz/findings. With --keep, the fewest inputs that reach what all of them reach become the corpus.
// With --quick the first target has a second in the build that is there: whether it works.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { buildParts } from './build.mjs';
import {
  integerOption,
  isProgram,
  main,
  readArguments,
  root,
  run,
  StepError,
} from './toolchain/steps.mjs';

const sources = join(root, 'tests/fuzz');
const programs = join(root, 'build/native-sanitized');
const work = join(root, 'build/fuzz');

export const fuzzTargets = readdirSync(sources)
  .filter((name) => name.endsWith('_fuzz.cc'))
  .map((name) => name.slice(0, -'_fuzz.cc'.length));

const limits = [
  '-timeout=10', // seconds for one input
  '-rss_limit_mb=1024', // with what the sanitizers need
  '-malloc_limit_mb=16', // the most that a reader may take at once for so small a file
  '-max_len=16384',
];

// Hundreds of small inputs in one file: their lengths and bytes, one after the other, compressed.
const corpusFile = (target) => join(sources, 'corpus', `${target}.br`);

/** Adds the corpus of a target to a folder, each input named by its content as libFuzzer does. */
function unpackCorpus(target, folder) {
  if (!existsSync(corpusFile(target))) return;
  const bytes = brotliDecompressSync(readFileSync(corpusFile(target)));
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32LE(at);
    const input = bytes.subarray(at + 4, end);
    writeFileSync(join(folder, createHash('sha1').update(input).digest('hex')), input);
    at = end;
  }
}

function packCorpus(target, folder) {
  const inputs = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name)));
  const lengths = inputs.map(({ length }) => {
    const field = Buffer.alloc(4);
    field.writeUInt32LE(length);
    return field;
  });
  const all = Buffer.concat(inputs.flatMap((input, i) => [lengths[i], input]));
  mkdirSync(join(sources, 'corpus'), { recursive: true });
  writeFileSync(corpusFile(target), brotliCompressSync(all));
}

/**
 * Fuzzes one target. Returns how often it ran, what it covered, and the files of what it found. All that the corpus and the
 * seeds hold is read first, however small the limit. With a number of `runs`, the corpus among them, the same build tries the
 * same inputs on every machine.
 * @param {string} target
 * @param {{ seconds: number } | { runs: number }} limit
 */
export async function fuzz(target, { seconds, runs }) {
  const findings = join(work, 'findings');
  const grown = join(work, 'corpus', target);
  mkdirSync(findings, { recursive: true });
  mkdirSync(grown, { recursive: true });
  unpackCorpus(target, grown);
  const prefix = join(findings, `${target}-`);
  const { status, output } = await run(
    join(programs, `${target}_fuzz`),
    [
      ...[grown, join(work, 'seeds', target)],
      ...[...limits, `-artifact_prefix=${prefix}`, '-print_final_stats=1', '-reload=0'],
      ...(runs === undefined ? [`-max_total_time=${seconds}`] : [`-runs=${runs}`, '-seed=1']),
    ],
    { allowFailure: true, what: `fuzzing ${target}`, env: { UBSAN_OPTIONS: 'print_stacktrace=1' } },
  );
  const figure = (pattern) => Number(output.match(pattern)?.at(-1)?.replace(/\D+/g, '') ?? 0);
  const found = readdirSync(findings).filter((name) => name.startsWith(`${target}-`));
  return {
    executions: figure(/number_of_executed_units: +\d+/g),
    edges: figure(/cov: \d+/g),
    inputs: readdirSync(grown).length,
    found: found.map((name) => join('build/fuzz/findings', name)),
    isSound: status === 0,
    output,
  };
}

/** Makes the fewest of all inputs that reach what they all reach the corpus. */
async function keep(target) {
  const fewest = join(work, 'fewest', target);
  rmSync(fewest, { recursive: true, force: true });
  mkdirSync(fewest, { recursive: true });
  const all = [join(work, 'seeds', target), join(work, 'corpus', target)];
  await run(join(programs, `${target}_fuzz`), ['-set_cover_merge=1', ...limits, fewest, ...all]);
  packCorpus(target, fewest);
}

/** Writes the seeds of each target, once it is built. Those that are there are left alone: another process may be reading them. */
export async function makeSeeds() {
  const seeds = join(work, 'seeds');
  const program = join(programs, 'make_seeds');
  if (existsSync(seeds) && statSync(seeds).mtimeMs > statSync(program).mtimeMs) return;
  rmSync(seeds, { recursive: true, force: true });
  await run(program, [seeds]);
}

async function fuzzFromCommandLine() {
  const { values, positionals } = readArguments({
    options: {
      seconds: { type: 'string', default: '60' },
      keep: { type: 'boolean' },
      quick: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const targets = values.quick ? fuzzTargets.slice(0, 1) : positionals;
  const seconds = values.quick ? 1 : integerOption('seconds', values.seconds, 1);
  const unknown = targets.find((target) => !fuzzTargets.includes(target));
  if (unknown !== undefined) {
    throw new StepError(`No such target: ${unknown}`, `Targets: ${fuzzTargets.join(', ')}`);
  }
  if (!values.quick) await buildParts(['fuzzers']);
  await makeSeeds();
  const failed = [];
  for (const target of targets.length > 0 ? targets : fuzzTargets) {
    const { executions, edges, inputs, found, isSound, output } = await fuzz(target, { seconds });
    console.log(`${target}: ${executions} executions, ${edges} edges, ${inputs} inputs kept`);
    if (!isSound) {
      console.log(output.slice(-6000));
      failed.push(target, ...found);
    } else if (values.keep) await keep(target);
  }
  if (failed.length > 0) throw new StepError(`Found something: ${failed.join(' ')}`);
}

if (isProgram(import.meta)) await main(fuzzFromCommandLine);
