// The command line as a process that a test follows, holds up and kills.
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from './shared_folder.js';

export interface CommandProcess {
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit status, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export function startCommand(...args: string[]): CommandProcess {
  // Jest's process.env is a copy, which a test may change.
  const { env } = process;
  const child = spawn(process.execPath, [join(projectRoot, 'dist/cli.mjs'), ...args], { env });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  }
  const ended = new Promise<number | string>((done) => {
    child.once('close', (status, signal) => done(status ?? signal ?? 'unknown'));
  });
  return { process: child, stdout: () => said.stdout, stderr: () => said.stderr, ended };
}

/** Creates a named pipe. Its reader waits until data is written. */
export function namedPipe(path: string): string {
  execFileSync('mkfifo', [path]);
  return path;
}

/** Resolves to the pipe's other end when a process has begun to read it. */
export const whenRead = (path: string): Promise<FileHandle> => open(path, 'w');

export const childrenOf = ({ pid = 0 }: ChildProcess): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Whether a process reads or writes the file. */
export function hasOpen({ pid = 0 }: ChildProcess, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(join(folder, name)) === path;
    } catch {
      // Closed meanwhile.
      return false;
    }
  });
}

export async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some((pid) => existsSync(`/proc/${pid}`))) await sleep(20);
}
