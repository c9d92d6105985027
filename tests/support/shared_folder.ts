import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from '@jest/globals';

export const projectRoot = resolve(import.meta.dirname, '../..');

/** Reference outputs and recordings beside the checkout; `SUSURRUS_SHARED` names another place. */
export const sharedFolder = resolve(projectRoot, process.env.SUSURRUS_SHARED ?? '../shared');

/** A `describe` for suites that need files from the shared folder: it skips, and says so, without them. */
export function describeWithShared(paths: string[], name: string, body: () => void): void {
  const missing = paths.filter((path) => !existsSync(resolve(sharedFolder, path)));
  if (missing.length === 0) {
    describe(name, body);
    return;
  }
  const need = `needs ${missing.join(', ')} in the shared folder`;
  console.warn(`Skipped, since it ${need}: ${name}`);
  // The body may read those files while it lists its tests, so it does not run at all.
  const skipped = test.skip;
  describe(name, () => {
    skipped(need, () => undefined);
  });
}
