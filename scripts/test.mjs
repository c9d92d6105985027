// npm test: sets everything up, builds, then lint, type check, C++ tests, jest in Node, jest with Chromium.
//
//   node scripts/test.mjs [--only lint|cpp|node|browser|browsers] [jest's arguments...]
//
// `browsers`, which npm test leaves out, are the suites of pages in Firefox, and what WebKitGTK can do.
// Each part begins as soon as what it needs is there. Ends with the time that each took, the number of skipped suites and a line
// "N passed, N failed, N skipped" over all tests.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parts, setUp } from './build.mjs';
import { fuzz, fuzzTargets, makeSeeds } from './fuzz.mjs';
import { lint } from './lint.mjs';
import { jestFlags, relaxedSimdFlags } from './toolchain/node_flags.mjs';
import { runInOrder } from './toolchain/order.mjs';
import { machineSeconds, processorClock } from './toolchain/processor_time.mjs';
import {
  measureSlowness,
  medianOfWork,
  mostSlowness,
  slownessFrom,
} from './toolchain/slowness.mjs';
import {
  inPart,
  report,
  root,
  run,
  spawnInStep,
  splitArguments,
  step,
  StepError,
  stepTimes,
} from './toolchain/steps.mjs';
import { budgetTable, machineLine, timeTable } from './toolchain/time_table.mjs';
import { ensureTools } from './toolchain/tools.mjs';

const usualKinds = ['lint', 'cpp', 'node', 'browser'];
const kinds = [...usualKinds, 'browsers'];
const totals = { passed: 0, failed: 0, skipped: 0 };
const skippedSuites = [];
/** Suites of jest: { name, seconds }. */
const suiteTimes = [];
const failures = [];

function add({ passed, failed, skipped = 0 }) {
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped += skipped;
}

/** A failure of the run itself: nothing it would have tested counts as passed. */
function fail(message) {
  failures.push(message);
  add({ passed: 0, failed: 1 });
}

/** Runs one C++ test program and adds its closing "N passed, N failed". */
async function runCases(name, program, args, env = {}) {
  const { status, output } = await step(name, () =>
    run(program, args, { env, allowFailure: true, what: name }),
  );
  const counts = /^(?:\d+: )?(\d+) passed, (\d+) failed$/m.exec(output);
  const [passed, failed] = counts ? counts.slice(1).map(Number) : [0, 0];
  console.log(`  ${name}: ${counts ? `${passed} passed, ${failed} failed` : 'did not finish'}`);
  add({ passed, failed });
  if (status === 0 && counts) return;
  console.log(output);
  failures.push(`${name} failed.`);
  if (failed === 0) totals.failed += 1;
}

async function nativeTests() {
  const { cmake } = await ensureTools(['cmake']);
  const ctest = join(dirname(cmake), 'ctest');
  await runCases(
    'C++ tests, native with ASan and UBSan',
    ctest,
    ['--test-dir', join(root, 'build/native-sanitized'), '--verbose'],
    { UBSAN_OPTIONS: 'print_stacktrace=1' },
  );
}

async function lintAll() {
  const messages = await step('lint and type check', () => lint());
  messages.forEach(fail);
}

/** Folders of tests/cpp whose cases run kernels of which the relaxed build has its own. All else is the same in both builds. */
const computing = ['/kernels/', '/whisper/', '/session/', '/graph/', '/families/'];

function wasmTests() {
  const relaxed = relaxedSimdFlags();
  if (!relaxed)
    skippedSuites.push('C++ tests, WebAssembly relaxed (this Node has no relaxed SIMD)');
  const cases = (name, flags, parts) => () =>
    runCases(`C++ tests, WebAssembly ${name}`, process.execPath, [
      ...[...flags, join(root, `build/wasm/core_tests.${name}.cjs`), ...parts],
    ]);
  return [cases('simd', [], []), ...(relaxed ? [cases('relaxed', relaxed, computing)] : [])];
}

/**
 * The corpora have at most 920 inputs. The rest of the runs looks a little beyond them, the same each time on every machine:
 * looking further is what `npm run fuzz` is for.
 */
const fuzzRuns = 4000;

async function shortFuzzing() {
  await makeSeeds();
  for (const target of fuzzTargets) {
    const { executions, isSound, found, output } = await step(`fuzzing ${target}`, () =>
      fuzz(target, { runs: fuzzRuns }),
    );
    console.log(`  ${target}: ${executions} executions`);
    if (isSound) add({ passed: 1, failed: 0 });
    else {
      console.log(output);
      fail(`Fuzzing ${target} found something: ${found.join(' ')}`);
    }
  }
}

/** Far more than the suites of a project take on a quiet machine. Jest cannot end a test that waits inside WebAssembly. */
const quietJestMinutes = 35;

/** Jest's own output is shown as it comes; its counts are read from its report. */
async function jest(projects, args, env = {}, place = '') {
  const name = `jest (${projects.join(', ')}${place})`;
  const jestMinutes = Math.round(quietJestMinutes * slowness);
  const results = join(root, 'build/test-results');
  const report = join(results, `${projects.join('-')}.json`);
  const suiteSeconds = join(results, `${projects.join('-')}.seconds`);
  mkdirSync(results, { recursive: true });
  for (const path of [report, suiteSeconds]) rmSync(path, { force: true });
  const given = { SUSURRUS_TEST_SLOWNESS: String(slowness), SUSURRUS_SUITE_SECONDS: suiteSeconds };
  const status = await step(
    name,
    () =>
      new Promise((done, failed) => {
        const child = spawnInStep(
          process.execPath,
          [
            ...[...jestFlags, ...(relaxedSimdFlags() ?? [])],
            ...[join(root, 'node_modules/jest/bin/jest.js'), '--selectProjects', ...projects],
            ...['--json', '--outputFile', report, ...args],
          ],
          // Jest prints the JSON on stdout as well as into the file; people read stderr. In a process group of its own, so that
          // its workers end with it.
          {
            cwd: root,
            env: { ...process.env, ...env, ...given },
            stdio: ['ignore', 'ignore', 'inherit'],
            detached: true,
          },
        );
        const end = () => process.kill(-child.pid, 'SIGKILL');
        const endBoth = () => {
          end();
          process.exit(130);
        };
        const limit = setTimeout(() => {
          fail(`${name} was ended after ${jestMinutes} minutes.`);
          end();
        }, jestMinutes * 60_000);
        process.on('SIGINT', endBoth).on('SIGTERM', endBoth);
        child.on('error', failed);
        child.on('close', (code) => {
          clearTimeout(limit);
          process.off('SIGINT', endBoth).off('SIGTERM', endBoth);
          done(code ?? 128);
        });
      }),
  );
  if (!existsSync(report)) return fail(`${name} did not finish.`);
  const result = JSON.parse(readFileSync(report, 'utf8'));
  add({
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    skipped: result.numPendingTests + result.numTodoTests,
  });
  for (const suite of result.testResults) {
    const tests = suite.assertionResults;
    if (tests.length > 0 && tests.every((test) => test.status === 'pending')) {
      skippedSuites.push(relative(root, suite.name));
    }
  }
  if (existsSync(suiteSeconds)) {
    const lines = readFileSync(suiteSeconds, 'utf8').trimEnd().split('\n');
    suiteTimes.push(...lines.map((line) => JSON.parse(line)));
  }
  if (status !== 0) failures.push(`${name} failed.`);
}

/** jest's option, unless its caller's arguments say how many workers: jest starts any number of them if it is told twice. */
const onAllProcessors = (args) =>
  args.some((arg) => /^(-w|-i|--runInBand|--maxWorkers)\b/.test(arg)) ? [] : ['--maxWorkers=100%'];

/** A part of scripts/build.mjs, for these kinds of tests. */
const build = (name, kinds, needs = []) => ({
  ...{ name, part: 'build', kinds, needs, builds: [name] },
  run: () => parts[name].build(),
});

/** What native suites run besides the package. */
const programs = ['driver', 'operators', 'load-limits', 'fuzzers'];

/** jest in Node: all suites as soon as they can run, or those that jest's arguments choose. */
const nodeTasks = (args) => {
  const suites = (projects, needs, options) => ({
    name: projects.join(),
    part: `${projects.join()} suites`,
    kinds: ['node'],
    needs,
    run: () => jest(projects, [...options, ...args]),
  });
  if (args.length > 0) {
    return [suites(['unit', 'package', 'native'], ['js', ...programs], onAllProcessors(args))];
  }
  return [
    suites(['unit'], [], ['--maxWorkers=1']),
    suites(['package'], ['js'], onAllProcessors([])),
    suites(['native'], ['js', ...programs], onAllProcessors([])),
  ];
};

/** Suites that start browsers besides Chromium themselves. */
const elsewhereSuites = ['in_firefox', 'in_webkit', 'kept_elsewhere'].map(
  (name) => `tests/browser/${name}.test.ts`,
);
/**
 * Suites of scripts, of projects (`npm run test:projects` has each browser), of Chromium's extensions, of full-size models, and one
 * that asks V8 to collect garbage.
 */
const chromiumSuites = [
  ...['bench', 'extension', 'full_size', 'plan_and_sleep', 'projects', 'smallest_runs'],
].map((name) => `tests/browser/${name}.test.ts`);

const firefoxSuites = () =>
  readdirSync(join(root, 'tests/browser'))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `tests/browser/${name}`)
    .filter((suite) => ![...elsewhereSuites, ...chromiumSuites].includes(suite));

/** All there is to do, in the order in which it begins once what it needs is done. What is built in one folder waits for each other. */
const allTasks = (args) => [
  build('wasm', ['node', 'browser', 'browsers']),
  build('js', ['node', 'browser', 'browsers'], ['wasm']),
  {
    name: 'browser',
    part: 'browser suites',
    kinds: ['browser'],
    needs: ['js'],
    tools: ['chromium', 'headless', 'firefox', 'webkit'],
    async run() {
      const { chromium, headless } = await ensureTools(['chromium', 'headless']);
      // More than one at a time: pages wait for sound and for each other.
      await jest(['browser'], [...onAllProcessors(args), ...args], {
        CHROMIUM: chromium,
        CHROMIUM_HEADLESS: headless,
      });
    },
  },
  {
    name: 'browsers',
    part: 'browser suites',
    kinds: ['browsers'],
    needs: ['js'],
    tools: ['chromium', 'firefox', 'webkit', 'sound'],
    async run() {
      const { chromium, firefox } = await ensureTools(['chromium', 'firefox']);
      const env = { CHROMIUM: chromium };
      if (args.length === 0) {
        await jest(['browser'], [...onAllProcessors([]), ...elsewhereSuites], env, ', elsewhere');
      }
      if (firefox === undefined) return void skippedSuites.push('all of Firefox, which is missing');
      const suites = args.length > 0 ? args : firefoxSuites();
      const inFirefox = { ...env, SUSURRUS_BROWSER: 'firefox' };
      await jest(['browser'], [...onAllProcessors(args), ...suites], inFirefox, ', Firefox');
    },
  },
  ...nodeTasks(args),
  { name: 'lint', part: 'lint', kinds: ['lint'], tools: ['clangFormat'], run: lintAll },
  build('native-tests', ['cpp']),
  {
    name: 'C++ tests',
    part: 'C++ tests',
    kinds: ['cpp'],
    needs: ['native-tests'],
    run: nativeTests,
  },
  build('driver', ['node'], ['native-tests']),
  build('wasm-tests', ['cpp'], ['wasm']),
  build('operators', ['node'], ['wasm', 'wasm-tests']),
  build('load-limits', ['node'], ['operators']),
  ...wasmTests().map((run, index) => ({
    ...{ name: `C++ tests, WebAssembly, ${index}`, part: 'C++ tests', kinds: ['cpp'] },
    ...{ needs: ['wasm-tests'], run },
  })),
  build('fuzzers', ['cpp'], ['native-tests', 'driver']),
  { name: 'fuzzing', part: 'fuzzing', kinds: ['cpp'], needs: ['fuzzers'], run: shortFuzzing },
];

async function runTests(wanted, jestArguments) {
  const tasks = allTasks(jestArguments).filter((task) =>
    task.kinds.some((kind) => wanted.includes(kind)),
  );
  await inPart('set-up', () =>
    setUp(
      tasks.flatMap(({ builds = [] }) => builds),
      tasks.flatMap(({ tools = [] }) => tools),
    ),
  );
  // Two at a time, some of which use all processors: pages wait for sound and for each other meanwhile.
  const lacking = await runInOrder(
    tasks.map((task) => ({ ...task, run: () => inPart(task.part, task.run) })),
    2,
  );
  for (const { name, error } of lacking) {
    if (error && !(error instanceof StepError)) throw error;
    fail(error ? error.message : `${name} did not run, since what it needs failed.`);
  }
}

const { values, rest } = splitArguments(process.argv.slice(2), {
  only: { type: 'string', default: usualKinds.join() },
  help: { type: 'boolean' },
});
if (values.help) {
  console.log('npm test: sets everything up, builds, runs every check and test.');
  console.log(`node scripts/test.mjs [--only ${kinds.join('|')}] [arguments for jest...]`);
  process.exit();
}
const wanted = values.only.split(',');

// Before all else, while the machine is as quiet as it will be. Whatever runs shares the processors with something else.
const given = process.env.SUSURRUS_TEST_SLOWNESS;
const slowness = given ? slownessFrom(given) : Math.min(mostSlowness, 2 * measureSlowness());
const unit = medianOfWork(processorClock) / 1000;
const begun = machineSeconds();
report(`limits of time are ${slowness} times those of a quiet machine`);

try {
  const unknown = wanted.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined)
    throw new StepError(`--only knows ${kinds.join(', ')}; not "${unknown}".`);
  await runTests(wanted, rest);
} catch (error) {
  if (!(error instanceof StepError)) throw error;
  fail(error.message);
}

for (const failure of failures) console.error(`\n${failure}`);
console.log(`\n${timeTable(stepTimes, suiteTimes).join('\n')}`);
console.log(`\n${budgetTable(stepTimes, unit).join('\n')}`);
console.log(machineLine(begun, machineSeconds()));
console.log(`\nSkipped suites: ${skippedSuites.length}`);
for (const suite of skippedSuites) console.log(`  ${suite}`);
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = failures.length === 0 && totals.failed === 0 ? 0 : 1;
