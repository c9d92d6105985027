// `transcribe --jobs N`: N processes of this program, of which each loads the model once and takes the next file when it is free.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SusurrusError } from '../src/node.js';
import type { AnyTranscribeOptions } from '../src/node.js';
import { fromErrorMessage } from '../src/api/errors.js';
import type { Heard } from './heard.js';
import { tellWarnings } from './open_model.js';
import type { ModelRequest } from './open_model.js';
import { tell } from './terminal.js';
import { hasGroups, killGroup, processMark } from './transcription_process.js';
import type { Order, Reply } from './transcription_process.js';

interface Died {
  readonly kind: 'died';
  readonly how: string;
}

interface WorkerProcess {
  /** One order at a time. */
  ask(order: Order): Promise<Reply | Died>;
  kill(): Promise<unknown>;
}

function startProcess(): WorkerProcess {
  // All of the command is one file.
  const child = fork(fileURLToPath(import.meta.url), [processMark], {
    // A group of its own, so that what it started ends with it.
    detached: hasGroups,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const died = new Promise<Died>((done) => {
    child.once('exit', (status, signal) => {
      if (child.pid !== undefined) killGroup(child.pid);
      done({ kind: 'died', how: signal ?? `exit status ${status ?? 'unknown'}` });
    });
    child.once('error', ({ message }) => done({ kind: 'died', how: message }));
  });
  return {
    ask(order) {
      const answered = new Promise<Reply>((done) => child.once('message', done));
      // Where it cannot be sent, the process has ended.
      child.send(order, () => undefined);
      return Promise.race([answered, died]);
    },
    kill() {
      child.kill('SIGKILL');
      return died;
    },
  };
}

export interface Jobs {
  readonly count: number;
  readonly model: ModelRequest;
  readonly options: AnyTranscribeOptions;
  readonly files: readonly string[];
  readonly signal: AbortSignal;
  /** Gets each file's outcome, in the order in which they come. What it throws ends everything. */
  readonly settle: (at: number, outcome: Heard | SusurrusError) => Promise<void>;
}

/**
 * Transcribes the files. A process that dies costs the file that it worked on, and is replaced; one that dies before it has the model
 * is not, since the next would fare no better. No process is left when this ends, however it ends.
 */
export async function runJobs({
  count,
  model,
  options,
  files,
  signal,
  settle,
}: Jobs): Promise<void> {
  const processes = new Set<WorkerProcess>();
  let next = 0;
  let isOver = false;
  let hasWarned = false;
  let lastDeath: Died | undefined;
  const endAll = (): void => {
    isOver = true;
    for (const each of processes) void each.kill();
  };
  const isLeft = (): boolean => !isOver && next < files.length;

  /** Whether the model is there. */
  const load = async (worker: WorkerProcess): Promise<boolean> => {
    const reply = await worker.ask({ kind: 'load', model, options });
    if (reply.kind === 'failed') throw fromErrorMessage(reply.error);
    if (reply.kind === 'died') {
      lastDeath = reply;
      if (!isOver) tell(`susurrus: a process died while it loaded the model (${reply.how})\n`);
    } else if (reply.kind === 'loaded' && !hasWarned) {
      hasWarned = true;
      tellWarnings(reply.warnings);
    }
    return reply.kind === 'loaded';
  };

  /** Ends with the files or with the process. */
  const work = async (worker: WorkerProcess): Promise<void> => {
    while (isLeft()) {
      const at = next++;
      const file = files[at] ?? '';
      const reply = await worker.ask({ kind: 'transcribe', file });
      if (isOver) return;
      const outcome = outcomeOf(reply, file);
      await settle(at, outcome);
      // After an internal error nothing is known about the engine's memory.
      const isSpent = outcome instanceof SusurrusError && outcome.code === 'internal_error';
      if (reply.kind === 'died' || isSpent) return;
    }
  };

  const line = async (): Promise<void> => {
    let isLoaded = true;
    while (isLoaded && isLeft()) {
      const worker = startProcess();
      processes.add(worker);
      try {
        isLoaded = await load(worker);
        if (isLoaded) await work(worker);
      } finally {
        await worker.kill();
        processes.delete(worker);
      }
    }
  };

  signal.throwIfAborted();
  signal.addEventListener('abort', endAll, { once: true });
  const lines = Array.from({ length: Math.min(count, files.length) }, async () => {
    try {
      await line();
    } catch (error) {
      endAll();
      throw error;
    }
  });
  const ends = await Promise.allSettled(lines);
  signal.removeEventListener('abort', endAll);
  signal.throwIfAborted();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  if (next < files.length) {
    const problem = `no process could load the model (${lastDeath?.how ?? ''}); files left: ${files.length - next}`;
    throw died(problem);
  }
}

function outcomeOf(reply: Reply | Died, file: string): Heard | SusurrusError {
  if (reply.kind === 'heard') return reply.heard;
  if (reply.kind === 'failed') return fromErrorMessage(reply.error);
  const how = reply.kind === 'died' ? reply.how : reply.kind;
  return died(`${file}: the process that transcribed it died (${how}); another one goes on`);
}

const died = (problem: string): SusurrusError =>
  new SusurrusError('unsupported_environment', problem, { reason: 'environment' });
