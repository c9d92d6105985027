// What test:steady runs beside the suites ends with test:steady, also where that is killed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { projectRoot } from '../support/shared_folder.js';

const program = join(projectRoot, 'scripts/toolchain/busy_program.mjs');

test.each(['SIGTERM', 'SIGKILL'] as const)('a parent that gets %s takes it along', async (name) => {
  const starts =
    `import { spawn } from 'node:child_process';` +
    `const child = spawn(process.execPath, [${JSON.stringify(program)}], { stdio: ['pipe', 'inherit', 'ignore'] });` +
    `console.log(child.pid);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', starts], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // The program has the other end of this pipe, too: it ends when both are gone.
  const ended = new Promise((done) => parent.stdout.on('end', done));
  const [pid] = await new Promise<string[]>((said) =>
    parent.stdout.once('data', (line) => said(String(line).split('\n'))),
  );
  expect(process.kill(Number(pid), 0)).toBe(true);
  parent.kill(name);
  await ended;
});
