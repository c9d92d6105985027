// npm test: sets everything up, builds, then lint, type check, C++ tests, jest in Node, jest with Chromium.
//
//   node scripts/test.mjs [--only lint|cpp|node|browser] [jest's arguments...]
//
// Ends with the number of skipped suites and a line "N passed, N failed, N skipped" over all tests.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { spawn } from 'node:child_process';
import { buildParts } from './build.mjs';
import { fuzz, fuzzTargets, makeSeeds } from './fuzz.mjs';
import { lint } from './lint.mjs';
import { relaxedSimdFlags } from './toolchain/node_flags.mjs';
import { measureSlowness, slownessFrom } from './toolchain/slowness.mjs';
import { root, run, splitArguments, step, StepError, stepTimes } from './toolchain/steps.mjs';
import { timeTable } from './toolchain/time_table.mjs';
import { ensureTools } from './toolchain/tools.mjs';

const kinds = ['lint', 'cpp', 'node', 'browser'];
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

function wasmTests() {
  const relaxed = relaxedSimdFlags();
  if (!relaxed)
    skippedSuites.push('C++ tests, WebAssembly relaxed (this Node has no relaxed SIMD)');
  return [['simd', []], ...(relaxed ? [['relaxed', relaxed]] : [])].map(
    ([name, flags]) =>
      () =>
        runCases(`C++ tests, WebAssembly ${name}`, process.execPath, [
          ...flags,
          join(root, `build/wasm/core_tests.${name}.cjs`),
        ]),
  );
}

/** Enough for the corpus and a little beyond it, the same each time: looking further is what `npm run fuzz` is for. */
const fuzzSeconds = Math.floor(52 / fuzzTargets.length);
const fuzzSeed = 1;

async function shortFuzzing() {
  await makeSeeds();
  for (const target of fuzzTargets) {
    const { executions, isSound, found, output } = await step(`fuzzing ${target}`, () =>
      fuzz(target, fuzzSeconds, fuzzSeed),
    );
    console.log(`  ${target}: ${executions} executions`);
    if (isSound) add({ passed: 1, failed: 0 });
    else {
      console.log(output);
      fail(`Fuzzing ${target} found something: ${found.join(' ')}`);
    }
  }
}

/** Far more than the suites of both projects take on a quiet machine. Jest cannot end a test that waits inside WebAssembly. */
const quietJestMinutes = 35;

/** How slow the machine is: from SUSURRUS_TEST_SLOWNESS or measured once; passed on to jest and all suites. */
let slowness;
function machineSlowness() {
  if (slowness === undefined) {
    const given = process.env.SUSURRUS_TEST_SLOWNESS;
    // Both projects' suites share the processors.
    const shared = wanted.includes('node') && wanted.includes('browser') ? 2 : 1;
    slowness = given ? slownessFrom(given) : shared * measureSlowness();
    console.log(`  limits of time are ${slowness} times those of a quiet machine`);
  }
  return slowness;
}

/** Jest's own output is shown as it comes; its counts are read from its report. */
async function jest(project, args, env = {}) {
  const jestMinutes = Math.round(quietJestMinutes * machineSlowness());
  const report = join(root, `build/test-results/${project}.json`);
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const begun = performance.now();
  const status = await new Promise((done, failed) => {
    const child = spawn(
      process.execPath,
      [
        ...[...flags, ...(relaxedSimdFlags() ?? [])],
        ...[join(root, 'node_modules/jest/bin/jest.js'), '--selectProjects', project],
        ...['--json', '--outputFile', report, ...args],
      ],
      // Jest prints the JSON on stdout as well as into the file; people read stderr. In a process group of its own, so that
      // its workers end with it.
      {
        ...{
          cwd: root,
          env: { ...process.env, ...env, SUSURRUS_TEST_SLOWNESS: String(machineSlowness()) },
        },
        ...{ stdio: ['inherit', 'ignore', 'inherit'], detached: true },
      },
    );
    const end = () => process.kill(-child.pid, 'SIGKILL');
    const endBoth = () => {
      end();
      process.exit(130);
    };
    const limit = setTimeout(() => {
      fail(`jest (${project}) was ended after ${jestMinutes} minutes.`);
      end();
    }, jestMinutes * 60_000);
    process.on('SIGINT', endBoth).on('SIGTERM', endBoth);
    child.on('error', failed);
    child.on('close', (code) => {
      clearTimeout(limit);
      process.off('SIGINT', endBoth).off('SIGTERM', endBoth);
      done(code ?? 128);
    });
  });
  stepTimes.push({ name: `jest (${project})`, seconds: (performance.now() - begun) / 1000 });
  if (!existsSync(report)) return fail(`jest (${project}) did not finish.`);
  const result = JSON.parse(readFileSync(report, 'utf8'));
  add({
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    skipped: result.numPendingTests + result.numTodoTests,
  });
  for (const suite of result.testResults) {
    const seconds = (suite.endTime - suite.startTime) / 1000;
    suiteTimes.push({ name: relative(root, suite.name), seconds });
    const tests = suite.assertionResults;
    if (tests.length > 0 && tests.every((test) => test.status === 'pending')) {
      skippedSuites.push(relative(root, suite.name));
    }
  }
  if (status !== 0) failures.push(`jest (${project}) failed.`);
}

/** What each kind of test needs: tools beyond those of a build, and parts to build. */
const needs = {
  lint: { tools: ['clangFormat'], parts: ['wasm'] }, // the type check reads the engine's generated types
  cpp: { tools: [], parts: ['native-tests', 'wasm-tests', 'fuzzers'] },
  node: { tools: [], parts: ['wasm', 'js', 'driver', 'load-limits', 'operators'] },
  browser: { tools: ['chromium'], parts: ['wasm', 'js'] },
};

/** Two works at a time. All are over when this is, also when one of them throws. */
async function inParallel(works) {
  const left = [...works];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) await next();
  };
  const outcomes = await Promise.allSettled([work(), work()]);
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

async function runTests(wanted, jestArguments) {
  const needed = (what) => [...new Set(wanted.flatMap((kind) => needs[kind][what]))];
  await buildParts(needed('parts'), needed('tools'));
  const hasCpp = wanted.includes('cpp');
  await inParallel([
    ...(hasCpp ? [nativeTests] : []),
    ...(wanted.includes('lint') ? [lintAll] : []),
    ...(hasCpp ? [shortFuzzing, ...wasmTests()] : []),
  ]);
  const { chromium } = wanted.includes('browser') ? await ensureTools(['chromium']) : {};
  // Pages wait for sound and for each other; meanwhile there is work in Node.
  await inParallel([
    ...(wanted.includes('node')
      ? [() => jest('node', ['--maxWorkers=100%', ...jestArguments])]
      : []),
    // One at a time: each suite starts a browser, and pages measure how soon they answer.
    ...(chromium
      ? [() => jest('browser', ['--runInBand', ...jestArguments], { CHROMIUM: chromium })]
      : []),
  ]);
}

const { values, rest } = splitArguments(process.argv.slice(2), {
  only: { type: 'string', default: kinds.join() },
  help: { type: 'boolean' },
});
if (values.help) {
  console.log('npm test: sets everything up, builds, runs every check and test.');
  console.log(`node scripts/test.mjs [--only ${kinds.join('|')}] [arguments for jest...]`);
  process.exit();
}
const wanted = values.only.split(',');
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
console.log(`\nSkipped suites: ${skippedSuites.length}`);
for (const suite of skippedSuites) console.log(`  ${suite}`);
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = failures.length === 0 && totals.failed === 0 ? 0 : 1;
