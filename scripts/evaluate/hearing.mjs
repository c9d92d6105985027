// What models make of recordings, measured once: kept in build/evaluate/results by engine, model, options and samples, so that a
// run that was stopped goes on where it was.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ensurePeers, peerNode } from '../bench/peers.mjs';
import { hasSettledRelaxedSimd, relaxedSimdFlags } from '../toolchain/node_flags.mjs';
import { root, StepError } from '../toolchain/steps.mjs';

const folder = join(root, 'build/evaluate/results');

export const digest = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 24);
};
const fileDigest = (path) => digest(readFileSync(path));

/** What changes with everything in the build that runs in Node with this engine, the voice detector included. */
export function buildDigest(variant) {
  const dist = join(root, 'dist');
  const code = readdirSync(dist)
    .filter((name) => /node\..*mjs$/.test(name))
    .sort();
  const modules = [`engine.${variant}.wasm`, `networks.${variant}.wasm`];
  return digest(...[...code, ...modules].map((name) => readFileSync(join(dist, name))));
}

const samplesDigest = (samples) =>
  digest(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));

/** A Node in which relaxed SIMD computes alike at all times: this one, or the benchmark's. */
export async function nodeToMeasureIn() {
  if (hasSettledRelaxedSimd()) return process.execPath;
  await ensurePeers();
  const node = peerNode();
  if (node) return node;
  throw new StepError('There is no Node 24 for this machine.', 'Run this with Node 22 or later.');
}

/** What was measured of recordings, by their samples: in a file of the folder. */
export class Results {
  #path;
  #kept;

  constructor(key, about) {
    mkdirSync(folder, { recursive: true });
    this.#path = join(folder, `${key}.json`);
    this.#kept = existsSync(this.#path)
      ? JSON.parse(readFileSync(this.#path, 'utf8'))
      : { about, heard: {} };
  }

  get({ samples }) {
    return this.#kept.heard[samplesDigest(samples)];
  }

  add({ samples }, heard) {
    this.#kept.heard[samplesDigest(samples)] = heard;
    writeFileSync(`${this.#path}.${process.pid}`, JSON.stringify(this.#kept, null, 1));
    renameSync(`${this.#path}.${process.pid}`, this.#path);
  }
}

/**
 * What a model hears in each recording of a set, in their order, with the cost: encoder positions, whether a shortened window was
 * encoded again, dropped repetitions, and seconds of processor time. With `onlyKept` nothing is measured: undefined unless all of it is kept.
 * @type {(job: { model: string; variant: string; options: object }, set: string,
 *   recordings: readonly { name: string; samples: Float32Array }[], onlyKept?: boolean) => Promise<{ text: string;
 *   positions: number; isEncodedAgain: boolean; repetitions: number; seconds: number }[] | undefined>}
 */
export async function heardIn(job, set, recordings, onlyKept = false) {
  const engine = join(root, `dist/engine.${job.variant}.wasm`);
  if (!existsSync(engine)) throw new StepError('There is no build.', 'Build it: npm run build.');
  const about = { ...job, engine: fileDigest(engine), model: fileDigest(job.model) };
  const results = new Results(digest(JSON.stringify(about)), { path: job.model, ...about });
  const missing = new Map(
    recordings.filter((one) => !results.get(one)).map((one) => [one.name, one]),
  );
  if (missing.size > 0) {
    if (onlyKept) return undefined;
    // Plain SIMD computes alike in every Node.
    const isPlain = set === 'quick' || job.variant === 'simd';
    const node = isPlain ? process.execPath : await nodeToMeasureIn();
    const child = fork(join(import.meta.dirname, 'hear_job.mjs'), {
      execPath: node,
      execArgv: relaxedSimdFlags(node) ?? [],
    });
    child.on('message', ({ name, ...heard }) => {
      results.add(missing.get(name), heard);
      missing.delete(name);
    });
    child.send({ ...job, set, names: [...missing.keys()] });
    const status = await new Promise((done) =>
      child.once('close', (code, signal) => done(code ?? signal)),
    );
    if (status !== 0 || missing.size > 0) {
      throw new StepError(`${job.model}, ${job.variant}: the measurement ended with ${status}.`);
    }
  }
  return recordings.map((one) => results.get(one));
}
