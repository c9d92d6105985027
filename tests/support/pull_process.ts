// Another process that pulls models, as often as it is told to.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { NodeDownloadOptions } from '../../web/src/node_cache.js';
import { projectRoot } from './shared_folder.js';

export interface PullProcess {
  /** Resolves to the code of the error, or undefined when the model was pulled. One at a time. */
  pull(
    name: string,
    options: Pick<NodeDownloadOptions, 'dtype' | 'output' | 'force'>,
  ): Promise<unknown>;
  kill(): Promise<void>;
}

const script = `
  import { createInterface } from 'node:readline';
  const { downloadModel } = await import(process.argv[1]);
  for await (const line of createInterface({ input: process.stdin })) {
    const { name, options } = JSON.parse(line);
    const code = await downloadModel(name, options).then(() => undefined, (error) => error.code ?? String(error));
    process.stdout.write(JSON.stringify({ code }) + '\\n');
  }
`;

export function startPullProcess(env: Readonly<Record<string, string | undefined>>): PullProcess {
  const address = pathToFileURL(join(projectRoot, 'dist/cache.node.mjs')).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, address], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async pull(name, options) {
      child.stdin.write(`${JSON.stringify({ name, options })}\n`);
      const step: IteratorResult<string> = await lines.next();
      return step.done ? 'killed' : (JSON.parse(step.value) as { code?: unknown }).code;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
