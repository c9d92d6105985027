import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as NodeEntry from '../../web/src/node.js';
import type { LoadOptions, ModelSource } from '../../web/src/node.js';
import { projectRoot } from './shared_folder.js';

/**
 * The package as it is built for Node. Where SUSURRUS_TEST_THREADS is set, models have so many threads that are loaded without
 * saying: every suite can be run that way, the goldens above all.
 */
export async function builtPackage(): Promise<typeof NodeEntry> {
  const address = pathToFileURL(join(projectRoot, 'dist/node.mjs')).href;
  const built = (await import(address)) as typeof NodeEntry;
  const threads = Number(process.env.SUSURRUS_TEST_THREADS ?? 1);
  if (threads === 1) return built;
  const { loadModel } = built;
  const withThreads = (source: ModelSource, options: LoadOptions = {}) =>
    loadModel(source, { threads, ...options });
  return { ...built, loadModel: withThreads as typeof loadModel };
}

/** Runs the built command line and answers what it printed; fails where it fails. */
export function susurrus(...args: string[]): string {
  const cli = join(projectRoot, 'dist/cli.mjs');
  return execFileSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  });
}
