// A process of `transcribe --jobs`: loads the model, then transcribes one recording after the other as it is told. It writes
// nothing and owns nothing but its ffmpeg, so its group can be killed at any time.
import { loadModel } from '../src/node.js';
import type { Model, AnyTranscribeOptions } from '../src/node.js';
import { toErrorMessage } from '../src/api/errors.js';
import type { ErrorMessage } from '../src/api/errors.js';
import { hear } from './heard.js';
import type { Heard } from './heard.js';
import type { ModelRequest } from './open_model.js';

export type Order =
  | { readonly kind: 'load'; readonly model: ModelRequest; readonly options: AnyTranscribeOptions }
  | { readonly kind: 'transcribe'; readonly file: string };

export type Reply =
  | { readonly kind: 'loaded'; readonly warnings: readonly string[] }
  | { readonly kind: 'heard'; readonly heard: Heard }
  | { readonly kind: 'failed'; readonly error: ErrorMessage };

/** The only argument of such a process. It is no command: without a channel to its parent it means nothing. */
export const processMark = '--transcription-process';

export const isTranscriptionProcess = (): boolean =>
  process.argv[2] === processMark && process.send !== undefined;

/** Whether the system has process groups. */
export const hasGroups = process.platform !== 'win32';

/** Kills what is left of a process's group, its ffmpeg among it. */
export function killGroup(leader: number): void {
  if (!hasGroups) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}

/** Answers each order; ends with its parent. */
export function serveTranscription(): void {
  // Where Ctrl-C reaches it, it reaches the parent too, which decides.
  process.on('SIGINT', () => undefined);
  // Not exit(), which waits for reads that may never end.
  process.once('disconnect', () => {
    killGroup(process.pid);
    process.kill(process.pid, 'SIGKILL');
  });
  let model: Model | undefined;
  let options: AnyTranscribeOptions = {};
  // Ends with the process.
  const { signal } = new AbortController();
  const obey = async (order: Order): Promise<Reply> => {
    if (order.kind === 'load') {
      options = order.options;
      model = await loadModel(order.model.source, order.model.options);
      return { kind: 'loaded', warnings: model.info.warnings };
    }
    if (!model) throw new Error('no model was loaded');
    return { kind: 'heard', heard: await hear(model, order.file, { ...options, signal }) };
  };
  process.on('message', (order: Order) => {
    void obey(order)
      .catch((error: unknown): Reply => ({ kind: 'failed', error: toErrorMessage(error) }))
      .then((reply) => process.send?.(reply));
  });
}
