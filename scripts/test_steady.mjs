// npm run test:steady: whether the suites pass however fast the machine is, in any of its parts.
//
//   npm run test:steady -- [--rounds 3] [--conditions full,page,machine] [--only browser,node] [jest's arguments...]
//
// Conditions: `full`, as the machine is; `page`, with the own thread of every page in Chromium six times as slow, while workers stay
// fast; `machine`, all on one processor beside two programs that never rest. What is tried four times in `npm test` is tried twenty
// times here.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  findOnPath,
  integerOption,
  main,
  root,
  splitArguments,
  StepError,
} from './toolchain/steps.mjs';

const busyProgram = join(root, 'scripts/toolchain/busy_program.mjs');
const onOneProcessor = (program, args) => ['taskset', ['-c', '0', program, ...args]];

/** Each condition: the kinds of tests that it is for, their environment, and how they are started. */
const conditions = {
  full: { kinds: ['browser', 'node'] },
  page: { kinds: ['browser'], env: { SUSURRUS_TEST_PAGE_SLOWDOWN: '6' } },
  machine: { kinds: ['browser', 'node'], start: onOneProcessor, isBusy: true },
};

/** Runs scripts/test.mjs in a condition and returns its closing counts. */
async function testIn({ env = {}, start = (...given) => given, isBusy = false }, kind, args) {
  const others = isBusy
    ? [0, 1].map(() =>
        spawn(...onOneProcessor(process.execPath, [busyProgram]), {
          stdio: ['pipe', 'ignore', 'inherit'],
        }),
      )
    : [];
  try {
    const command = start(process.execPath, [
      ...[join(root, 'scripts/test.mjs'), '--only', kind, ...args],
    ]);
    const child = spawn(...command, {
      ...{ cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
      env: { ...process.env, SUSURRUS_TEST_ROUNDS: 'all', ...env },
    });
    let output = '';
    child.stdout.on('data', (bytes) => {
      output += String(bytes);
      process.stdout.write(bytes);
    });
    const status = await new Promise((done) => child.on('close', (code) => done(code ?? 128)));
    const [, passed, failed] = /^(\d+) passed, (\d+) failed/m.exec(output) ?? [];
    return { passed: Number(passed ?? 0), failed: Number(failed ?? 0), isSound: status === 0 };
  } finally {
    others.forEach((other) => other.kill('SIGKILL'));
  }
}

await main(async () => {
  const { values, rest } = splitArguments(process.argv.slice(2), {
    rounds: { type: 'string', default: '3' },
    conditions: { type: 'string', default: Object.keys(conditions).join() },
    only: { type: 'string', default: 'browser,node' },
  });
  const rounds = integerOption('rounds', values.rounds, 1);
  const chosen = values.conditions.split(',');
  const unknown = chosen.find((name) => !Object.hasOwn(conditions, name));
  if (unknown !== undefined) {
    throw new StepError(
      `There is no condition "${unknown}".`,
      `Conditions: ${Object.keys(conditions).join(', ')}`,
    );
  }
  if (chosen.includes('machine') && !findOnPath('taskset')) {
    throw new StepError('There is no taskset, which keeps a program on one processor.');
  }
  const kinds = values.only.split(',');
  const lines = [];
  let isSound = true;
  for (const name of chosen) {
    for (const kind of conditions[name].kinds.filter((each) => kinds.includes(each))) {
      for (let round = 1; round <= rounds; ++round) {
        const begun = performance.now();
        const outcome = await testIn(conditions[name], kind, rest);
        const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
        isSound &&= outcome.isSound;
        lines.push(
          `${name}, ${kind}, round ${round}: ${outcome.passed} passed, ${outcome.failed} failed, ${minutes} min`,
        );
      }
    }
  }
  console.log(`\n${availableParallelism()} processors\n${lines.join('\n')}`);
  if (!isSound) throw new StepError('Not every round passed.');
});
