// The smallest run of every script that CONTRIBUTING.md or package.json names: whether it works, not what it measures. This table is
// the only list; tests/scripts/smallest_runs.test.ts and tests/browser/smallest_runs.test.ts run it, and fail where a script is
// missing.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from '../../scripts/toolchain/steps.mjs';
import { ensureTrainedModel, NoTrainedModel } from '../../scripts/trained_model.mjs';
import { limit } from './limits.js';
import { projectRoot, sharedFolder } from './shared_folder.js';

/** What a machine may lack; a run that needs it is skipped then. */
export type Need =
  | 'fuzzers'
  | 'live environment'
  | 'reference'
  | 'scoring environment'
  | 'shared'
  | 'speech'
  | 'trained';

/** A run of its own. `FOLDER` in its arguments is an empty folder, `SHARED` the shared one. */
export interface SmallestRun {
  readonly args: readonly string[];
  /** What it must print. */
  readonly prints: RegExp;
  /** The exit status; 0 without it. */
  readonly status?: number;
  readonly needs?: readonly Need[];
  readonly isBrowser?: boolean;
  /** Files of FOLDER that it must leave. */
  readonly leaves?: readonly string[];
}

/** Something else of `npm test` that runs it: a suite, or a script which does. */
export interface RunElsewhere {
  readonly runBy: string;
}

/** Names of `npm run`, and paths of other scripts, with their smallest runs. */
export const smallestRuns: Readonly<Record<string, SmallestRun | RunElsewhere>> = {
  start: { args: ['nowhere.wav'], prints: /There is no file nowhere\.wav/, status: 1 },
  test: { args: ['--help'], prints: /npm test/ },
  // What it does with a commit is what lint and the unit suites do.
  check: { args: ['--since', 'nowhere'], prints: /Is there a commit "nowhere"/, status: 1 },
  'test:cpp': { runBy: 'scripts/test.mjs' },
  'test:node': { runBy: 'scripts/test.mjs' },
  'test:browser': { runBy: 'scripts/test.mjs' },
  // Some of its suites are among those of test:browser.
  'test:browsers': { args: ['--help'], prints: /npm test/ },
  // What it repeats is what scripts/test.mjs does.
  'test:steady': { args: ['--conditions', 'none'], prints: /Conditions: full/, status: 1 },
  // What it does with a project is what tests/browser/projects.test.ts does.
  'test:projects': { args: ['nowhere'], prints: /Projects: .*types/, status: 1 },
  'test:reference': {
    args: ['--cases', '1', '--copies', '0', '--jobs', '1'],
    prints: /1 cases?|1 equal/,
    needs: ['reference', 'shared'],
  },
  build: { runBy: 'scripts/test.mjs' },
  'build:wasm': { runBy: 'scripts/test.mjs' },
  'build:js': { runBy: 'scripts/test.mjs' },
  'build:native': { runBy: 'scripts/test.mjs' },
  docs: { runBy: 'scripts/lint.mjs' },
  lint: { runBy: 'scripts/test.mjs' },
  format: { runBy: 'scripts/test.mjs' },
  'pack:model': {
    args: ['models/digits.apr', '--quick', '--license', 'LICENSE', '--output', 'FOLDER'],
    prints: /Try it: npm install/,
    leaves: ['susurrus-model-digits/digits.apr'],
  },
  fuzz: { args: ['--quick'], prints: /\d+ executions/, needs: ['fuzzers'] },
  bench: { runBy: 'tests/scripts/bench.test.ts' },
  profile: {
    args: ['--quick', '--variant', 'simd', '--tokens', '8', '--json'],
    prints: /"places": \[/,
  },
  screenshots: {
    args: ['empty', '--output', 'FOLDER'],
    prints: /empty-phone-dark\.png/,
    isBrowser: true,
    leaves: ['empty-desk-light.png'],
  },
  soak: { args: ['--count', '1', '--every', '1'], prints: /\| 1 times \|/, isBrowser: true },
  evaluate: { args: ['--quick'], prints: /\| f32 \|/, needs: ['trained'] },
  'evaluate:context': { args: ['--quick'], prints: /\| auto \|/, needs: ['trained'] },
  'evaluate:word-times': {
    args: ['--quick'],
    prints: /openai-whisper, float32/,
    needs: ['trained', 'shared'],
  },
  'evaluate:modes': { args: ['--quick'], prints: /\| openai \|/, needs: ['trained'] },
  'evaluate:nothing': {
    args: [
      ...['--model', 'tiny.en', '--detector', 'with'],
      ...['--minutes', '1', '--sounds', 'silence'],
    ],
    prints: /words an hour/,
    needs: ['trained'],
  },
  'evaluate:vad': { args: ['--quick'], prints: /words missing/, needs: ['trained'] },
  'evaluate:live': {
    args: [
      ...['--systems', 'attention', '--variants', 'simd', '--recordings', '1'],
      ...['--minutes', '0.1', '--nothing', '0'],
    ],
    prints: /attention/,
    needs: ['live environment', 'speech', 'trained'],
  },
  'evaluate:speakers': {
    args: ['--quick'],
    prints: /\| half-minutes +\| Susurrus/,
    needs: ['scoring environment', 'shared', 'trained'],
  },
  // What it counts is what tests/scripts/evaluate.test.ts does.
  'evaluate:chunks': {
    args: ['--languages', 'xx'],
    prints: /--languages: there is no story in xx/,
    status: 1,
  },
  // What it does with speech is what tests/scripts/evaluate_languages.test.ts does.
  'evaluate:languages': {
    args: ['--languages', 'xx'],
    prints: /--languages: not xx but of de/,
    status: 1,
  },
  'evaluate:digits': { args: ['--quick'], prints: /all WER/, needs: ['shared'] },
  'evaluate:accuracy': {
    args: [
      ...['--models', 'micro', '--formats', 'q8_0', '--variants', 'simd'],
      ...['--windows', '1', '--positions', '2'],
    ],
    prints: /q8_0/,
    needs: ['shared'],
  },
  'evaluate:formats': {
    args: ['--models', 'micro', '--formats', 'q8_0'],
    prints: /\| micro \| q8_0 \|/,
    needs: ['shared'],
  },
  'scripts/print_sizes.mjs': { args: ['--quick'], prints: /digits\.apr/ },
  'scripts/count_words.mjs': { args: [], prints: /README\.md +\d+ +\d+/ },
  'scripts/print_operators.mjs': { runBy: 'tests/graph/documented_operators.test.ts' },
  'scripts/trained_model.mjs': { runBy: 'tests/scripts/trained_model.test.ts' },
  'scripts/random_model.mjs': { runBy: 'tests/convert/shapes.test.ts' },
  'scripts/generate_facts.mjs': { runBy: 'tests/scripts/facts.test.ts' },
  'scripts/make_digits_model.mjs': {
    args: ['SHARED/digits-model/model', 'FOLDER/digits.apr'],
    prints: /digits\.apr/,
    needs: ['shared'],
    leaves: ['digits.apr'],
  },
  'scripts/make_sample.sh': {
    args: ['FOLDER'],
    prints: /^/,
    needs: ['speech'],
    leaves: ['sample.wav', 'sentences.wav'],
  },
};

/** The command line behind a name of the table. */
export function commandOf(name: string, scripts: Readonly<Record<string, string>>): string[] {
  if (name.endsWith('.sh')) return ['bash', name];
  return (scripts[name] ?? `node ${name}`).replace(/^node /, `${process.execPath} `).split(' ');
}

const hasTrained = (): Promise<boolean> =>
  ensureTrainedModel().then(
    () => true,
    (error: unknown) => {
      if (error instanceof NoTrainedModel) return false;
      throw error;
    },
  );

const isThere: Readonly<Record<Need, () => boolean | Promise<boolean>>> = {
  fuzzers: () => existsSync(join(projectRoot, 'build/native-sanitized/make_seeds')),
  'live environment': () =>
    process.env.SUSURRUS_LIVE_PYTHON !== undefined ||
    existsSync(join(projectRoot, '.reference/live/installed')),
  reference: () =>
    process.env.SUSURRUS_REFERENCE_PYTHON !== undefined ||
    existsSync(join(projectRoot, '.reference/env/installed')),
  'scoring environment': () =>
    process.env.SUSURRUS_SCORING_PYTHON !== undefined ||
    existsSync(join(projectRoot, '.reference/scoring/installed')),
  shared: () => existsSync(join(sharedFolder, 'golden')),
  speech: () => ['flite', 'espeak-ng', 'sox'].every((program) => findOnPath(program)),
  trained: hasTrained,
};

/** Those needs of the runs that this machine does not meet. */
export async function missingNeeds(runs: readonly SmallestRun[]): Promise<Set<Need>> {
  const missing = new Set<Need>();
  for (const need of new Set(runs.flatMap(({ needs = [] }) => needs))) {
    if (!(await isThere[need]())) missing.add(need);
  }
  return missing;
}

/** Runs it to its end: its exit status or signal, and all that it printed. */
export function runScript(
  [program = '', ...args]: readonly string[],
  folder: string,
): { status: number | string | null; output: string } {
  const given = args.map((one) => one.replace('FOLDER', folder).replace('SHARED', sharedFolder));
  const { status, signal, stdout, stderr } = spawnSync(program, given, {
    ...{ cwd: projectRoot, encoding: 'utf8', maxBuffer: 2 ** 24, timeout: limit(60_000) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status: signal ?? status, output: stdout + stderr };
}
