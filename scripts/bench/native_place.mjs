// Native peers: Python packages in an environment of their own, in build/bench/python. Each job runs in a process of its own.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath, root, run, StepError } from '../toolchain/steps.mjs';

const environment = join(root, 'build/bench/python');
const requirements = join(import.meta.dirname, 'native/requirements.txt');
const program = join(import.meta.dirname, 'native/whisper_job.py');

/** Installs the packages unless they are there as the list says; says on stderr what is fetched. Returns the Python. */
export async function ensureNativePeers() {
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const stamp = join(environment, 'installed');
  const python = join(environment, 'bin/python');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return python;
  const base = findOnPath('python3');
  if (!base) throw new StepError('There is no python3 here.', '--no-peers measures ours alone.');
  console.error(
    'Fetching from the Python package index into build/bench/python: faster-whisper, PyTorch, optimum (about 1 GB).',
  );
  rmSync(environment, { recursive: true, force: true });
  await run(base, ['-m', 'venv', environment], { what: `${base} -m venv` });
  await run(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements], {
    what: 'pip install of the native peers',
    advice: 'PIP_INDEX_URL names another index; --no-peers measures ours alone.',
  });
  writeFileSync(stamp, wanted);
  return python;
}

/** Does a job of native/whisper_job.py. */
export async function runNative(python, job) {
  const output = await promisify(execFile)(python, [program, JSON.stringify(job)], {
    maxBuffer: 1 << 26,
  }).catch((error) => {
    throw new StepError(`A measurement failed: ${error.stderr || error.message}`);
  });
  return JSON.parse(output.stdout.trim().split('\n').at(-1));
}

/** A hub folder as Transformers.js reads it: ONNX in f32, and with weights of eight bits. */
export function exportOnnx(python, hub, into) {
  const exporter = join(import.meta.dirname, 'native/export_onnx.py');
  return run(python, [exporter, hub, into], {
    what: 'exporting tiny.en to ONNX',
    advice: 'Transformers.js needs it; --no-peers does without.',
  });
}
