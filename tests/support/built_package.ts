import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as NodeEntry from '../../web/src/node.js';
import { projectRoot } from './shared_folder.js';

/** The package as it is built for Node. */
export async function builtPackage(): Promise<typeof NodeEntry> {
  const address = pathToFileURL(join(projectRoot, 'dist/node.mjs')).href;
  return (await import(address)) as typeof NodeEntry;
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
