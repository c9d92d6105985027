// npm run check: what can be said of a change within seconds, after `npm ci` alone: types, layers, the suites that need nothing built,
// and the lint and formatting of what changed. The rest is `npm test`.
//
//   npm run check -- [--since REF]     what changed since REF (HEAD)
import { join } from 'node:path';
import { findLayerViolations } from './check_layers.mjs';
import { generateFacts } from './generate_facts.mjs';
import { lint, typeCheck } from './lint.mjs';
import { existsSync } from 'node:fs';
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
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    await run(process.execPath, [...flags, jest, '--selectProjects', 'unit'], {
      what: 'The unit suites',
      advice: 'Their messages stand above.',
    });
  };
  const changedLint = async () => {
    const messages = changed.length === 0 ? [] : await lint({ paths: changed, types: false });
    if (messages.length > 0) throw new StepError(messages.join('\n'));
  };
  const layers = () => {
    const violations = findLayerViolations();
    if (violations.length > 0) throw new StepError(`Layers:\n${violations.join('\n')}`);
  };
  const checks = {
    types: typeCheck,
    layers,
    'unit suites': unit,
    [`lint of ${changed.length} changed files`]: changedLint,
  };
  const outcomes = await Promise.allSettled(
    Object.entries(checks).map(([name, check]) => step(name, async () => check())),
  );
  const errors = outcomes.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  const unexpected = errors.find((error) => !(error instanceof StepError));
  if (unexpected) throw unexpected;
  if (errors.length > 0) throw new StepError(errors.map(({ message }) => message).join('\n\n'));
});
