// The command line on a package that only says how it was called (tests/cli/fake_package.ts).
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { BuildOptions } from 'esbuild';
import { projectRoot } from './shared_folder.js';

/** A file of the command line with the fake package. */
export async function bundleWithFakePackage(what: BuildOptions): Promise<void> {
  await build({
    ...what,
    bundle: true,
    format: 'esm',
    platform: 'node',
    plugins: [
      {
        name: 'fake package',
        setup(bundling) {
          bundling.onResolve(
            { filter: /^\.\.\/src\/node(_files|_graph|_cache|_speakers|_workers)?\.js$/ },
            () => ({
              path: join(projectRoot, 'tests/cli/fake_package.ts'),
            }),
          );
        },
      },
    ],
  });
}

/** The whole command in a folder; returns its path. */
export async function bundleCommand(folder: string): Promise<string> {
  const outfile = join(folder, 'cli.mjs');
  await bundleWithFakePackage({ entryPoints: [join(projectRoot, 'web/cli/main.ts')], outfile });
  return outfile;
}

export interface CommandOutcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Calls of the package: name and arguments. */
  readonly calls: readonly (readonly unknown[])[];
}

interface Surroundings {
  /** What comes on stdin; nothing if absent. */
  readonly input?: string | Uint8Array;
  readonly env?: NodeJS.ProcessEnv;
}

export function runCommand(
  command: string,
  args: readonly string[],
  { input = '', env = process.env }: Surroundings = {},
): Promise<CommandOutcome> {
  const child = spawn(process.execPath, [command, ...args], { env });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  }
  // The command may end before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (status) => {
      const calls = said.stderr
        .split('\n')
        .filter((line) => line.startsWith('['))
        .map((line) => JSON.parse(line) as unknown[]);
      done({ status: status ?? NaN, ...said, calls });
    });
  });
}
