// The core's tests.
//
//   npm run test:cpp              as npm test runs them: under sanitizers, and as WebAssembly
//   npm run test:cpp -- NAME...   between edits: the cases that have such parts in their names or their files' paths,
//                                 natively and without sanitizers; only what an edit touches is compiled again
import { join } from 'node:path';
import { buildParts } from './build.mjs';
import { main, root, run } from './toolchain/steps.mjs';

const names = process.argv.slice(2);

await main(async () => {
  if (names.length === 0) {
    process.argv.push('--only', 'cpp');
    await import('./test.mjs');
    return;
  }
  await buildParts(['native-fast']);
  await run(join(root, 'build/native-fast/core_tests'), names, { show: true, what: 'core_tests' });
});
