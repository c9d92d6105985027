// Rules of the page's style that would cost more the longer its text is.
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../support/shared_folder.js';

test('no rule looks with :has() into what grows with the text', () => {
  const folder = join(projectRoot, 'web/demo/style');
  const rules = readdirSync(folder).flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/^[^{}\n]*:has\([^{]*\{/gm)].map(
      ([rule]) => rule.replace(/\s*\{$/, '').trim(),
    ),
  );
  // With others Chromium works out the style of all that they hold for each segment that comes.
  expect(rules).toEqual(['.live-notes:not(:has(p:not([hidden])))', '.scroll:has(> table[hidden])']);
});
