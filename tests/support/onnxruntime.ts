import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { projectRoot } from './shared_folder.js';
import type { GraphTensor } from './onnx_writer.js';

export interface OnnxRun {
  readonly file: Uint8Array;
  readonly inputs: Readonly<Record<string, GraphTensor>>;
}

/** What the file's outputs are, or why onnxruntime does not run it. */
export interface OnnxRunAnswer {
  readonly outputs?: readonly GraphTensor[];
  readonly problem?: string;
}

/** Runs files in onnxruntime, one after the other. */
export async function runInOnnxruntime(runs: readonly OnnxRun[]): Promise<OnnxRunAnswer[]> {
  const worker = new Worker(join(projectRoot, 'tests/support/onnxruntime_runs.mjs'));
  worker.postMessage(runs);
  const [answers] = (await once(worker, 'message')) as [OnnxRunAnswer[]];
  await worker.terminate();
  return answers;
}
