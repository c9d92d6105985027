// npm run check: what can be said of a change without a build, after `npm ci` alone: types, layers, the suites that need nothing built,
// and the lint and formatting of what changed. The rest is `npm test`.
//
//   npm run check -- [--since REF]     what changed since REF (HEAD)
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generateFacts } from './generate_facts.mjs';
import { layers, lint, typeCheck } from './lint.mjs';
import { jestFlags } from './toolchain/node_flags.mjs';
import { main, readArguments, root, run, step, StepError } from './toolchain/steps.mjs';

async function changedFiles(since) {
  const lists = [
    ['diff', '--name-only', '--diff-filter=d', since],
    ['ls-files', '--others', '--exclude-standard'],
  ];
  const outputs = await Promise.all(
    lists.map((args) => run('git', args, { what: 'git', advice: `Is there a commit "${since}"?` })),
  );
  return outputs.flatMap(({ output }) => output.split('\n')).filter((path) => path !== '');
}

await main(async () => {
  const { values } = readArguments({ options: { since: { type: 'string', default: 'HEAD' } } });
  if (!existsSync(join(root, 'node_modules'))) {
    throw new StepError('There is no node_modules.', 'npm ci --ignore-scripts obtains it.');
  }
  generateFacts();
  const changed = await changedFiles(values.since);
  const unit = async () => {
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    await run(
      process.execPath,
      [...jestFlags, jest, '--selectProjects', 'unit', '--maxWorkers=100%'],
      {
        what: 'The unit suites',
        advice: 'Their messages stand above.',
      },
    );
  };
  const changedLint = async () => {
    if (changed.length === 0) return layers();
    const messages = await lint({ paths: changed, types: false });
    if (messages.length > 0) throw new StepError(messages.join('\n'));
  };
  const checks = {
    types: typeCheck,
    'unit suites': unit,
    [`layers, and lint of ${changed.length} changed files`]: changedLint,
  };
  const outcomes = await Promise.allSettled(
    Object.entries(checks).map(([name, check]) => step(name, async () => check())),
  );
  const errors = outcomes.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  const unexpected = errors.find((error) => !(error instanceof StepError));
  if (unexpected) throw unexpected;
  if (errors.length > 0) throw new StepError(errors.map(({ message }) => message).join('\n\n'));
});
