// Who speaks in recordings and what is said, measured once: kept in build/evaluate/results, so that a run that was stopped goes on.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StepError } from '../../toolchain/steps.mjs';
import { buildDigest, digest, Results } from '../hearing.mjs';

const bytesOf = ({ path }) => ({ samples: readFileSync(path) });

function resultsOf(about) {
  const whole = {
    ...about,
    build: buildDigest(about.variant),
    model: digest(readFileSync(about.model)),
  };
  return new Results(digest(JSON.stringify(whole)), { ...whole, path: about.model });
}

/**
 * What is found in each recording, with its cost.
 * @type {(model: string, variant: string, recordings: readonly import('./material.mjs').Recording[]) => Promise<
 *   { turns: import('./material.mjs').SpeakerTurn[]; duration: number; wallSeconds: number; processorSeconds: number;
 *   wasmBytes: number }[]>}
 */
export async function foundIn(model, variant, recordings) {
  const results = resultsOf({ job: 'speakers', model, variant });
  const missing = new Map(
    recordings.filter((one) => !results.get(bytesOf(one))).map((one) => [one.name, one]),
  );
  if (missing.size > 0) {
    const child = fork(join(import.meta.dirname, 'find_job.mjs'), {
      execArgv: [...process.execArgv, '--import', join(import.meta.dirname, 'watch_memory.mjs')],
    });
    child.on('message', ({ name, ...found }) => {
      results.add(bytesOf(missing.get(name)), found);
      missing.delete(name);
      console.error(`${name}: ${found.processorSeconds.toFixed(1)} s`);
    });
    const paths = [...missing.values()].map(({ name, path }) => ({ name, path }));
    child.send({ model, variant, recordings: paths });
    const status = await new Promise((done) =>
      child.once('close', (code, signal) => done(code ?? signal)),
    );
    if (status !== 0 || missing.size > 0) {
      throw new StepError(`${model}, ${variant}: the measurement ended with ${status}.`);
    }
  }
  return recordings.map((one) => results.get(bytesOf(one)));
}

/**
 * The words that a model hears in each recording, as segments.
 * @type {(model: string, variant: string, recordings: readonly import('./material.mjs').Recording[]) => Promise<
 *   { segments: { start: number; end: number; text: string; words: { word: string; start: number; end: number }[] }[] }[]>}
 */
export async function heardIn(model, variant, recordings) {
  const results = resultsOf({ job: 'words', model, variant });
  const missing = recordings.filter((one) => !results.get(bytesOf(one)));
  if (missing.length > 0) {
    const { loadModel } = await import('../../../dist/node.mjs');
    const loaded = await loadModel(model, { variant });
    try {
      for (const one of missing) {
        const { segments } = await loaded.transcribe(one.path, {
          language: 'en',
          timestamps: 'word',
        });
        results.add(bytesOf(one), {
          segments: segments.map(({ start, end, text, words }) => ({
            ...{ start, end, text },
            words: words.map(({ word, start, end }) => ({ word, start, end })),
          })),
        });
        console.error(`${one.name}: heard`);
      }
    } finally {
      loaded.dispose();
    }
  }
  return recordings.map((one) => results.get(bytesOf(one)));
}
