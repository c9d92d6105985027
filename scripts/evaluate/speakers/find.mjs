// Who speaks in recordings and what is said, measured once: kept in build/evaluate/results, so that a run that was stopped goes on.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whisper } from '../../facts/read_facts.mjs';
import { StepError } from '../../toolchain/steps.mjs';
import { wavSamples } from '../../wav_samples.mjs';
import { buildDigest, digest, Results } from '../hearing.mjs';
import { hearLive, noTime } from '../live/hear.mjs';
import { ownStream } from '../live/systems.mjs';

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

/**
 * The words of live captions of each recording's first `seconds`: whose a word is by the first event that says it and by the last,
 * and how many seconds of sound later the first one came.
 * @type {(model: string, variant: string, recordings: readonly import('./material.mjs').Recording[], seconds: number) => Promise<
 *   { words: { start: number; end: number; first?: string; last?: string; after?: number }[] }[]>}
 */
export async function captionedIn(model, variant, recordings, seconds) {
  const results = resultsOf({ job: 'captions', model, variant, seconds: String(seconds) });
  const missing = recordings.filter((one) => !results.get(bytesOf(one)));
  if (missing.length > 0) {
    const { loadModel } = await import('../../../dist/node.mjs');
    const loaded = await loadModel(model, { variant });
    const options = { language: 'en', speakers: true };
    try {
      for (const one of missing) {
        const samples = wavSamples(readFileSync(one.path)).subarray(
          0,
          seconds * whisper.sampleRate,
        );
        const open = async (onEvent) => ownStream(loaded.stream(options), onEvent);
        const { deliveries } = await hearLive(open, samples, noTime, 0.1);
        results.add(bytesOf(one), { words: wordsOf(deliveries.map(({ event }) => event)) });
        console.error(`${one.name}: captioned`);
      }
    } finally {
      loaded.dispose();
    }
  }
  return recordings.map((one) => results.get(bytesOf(one)));
}

/** @type {(events: readonly import('../../../web/src/api/types.js').LiveEvent[]) => Awaited<ReturnType<typeof captionedIn>>[number]['words']} */
export function wordsOf(events) {
  const texts = new Map();
  for (const event of events) {
    if (event.type === 'final') {
      const words = event.words.map(({ start, end }) => ({ start, end }));
      texts.set(event.id, words);
    }
    if (event.type !== 'speakers') continue;
    for (const { ids, segments } of event.texts) {
      const said = segments.flatMap(({ words }) => words);
      const words = ids.flatMap((id) => texts.get(id));
      for (const [i, { speaker }] of said.entries()) {
        if (speaker === undefined) continue;
        const word = words[i];
        word.first ??= speaker;
        word.after ??= event.until - word.end;
        word.last = speaker;
      }
    }
  }
  return [...texts.values()].flat();
}
