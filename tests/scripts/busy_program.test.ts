// What test:steady runs beside the suites ends with test:steady, also where that is killed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { projectRoot } from '../support/shared_folder.js';

const program = join(projectRoot, 'scripts/toolchain/busy_program.mjs');

test.each(['SIGTERM', 'SIGKILL'] as const)('a parent that gets %s takes it along', async (name) => {
  const starts =
    `import { spawn } from 'node:child_process';` +
    `spawn(process.execPath, [${JSON.stringify(program)}], { stdio: ['pipe', 'inherit', 'inherit'] });`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', starts], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  // The program holds the other end, too: this is over when both are gone.
  for await (const bytes of parent.stdout) {
    said += String(bytes);
    if (said === 'busy\n') parent.kill(name);
  }
  expect(said).toBe('busy\n');
});
