// Whole results of a trained model in q8_0, as a file or live, measured once for each build.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { whisper } from '../../facts/read_facts.mjs';
import { root } from '../../toolchain/steps.mjs';
import { ensureTrainedModel } from '../../trained_model.mjs';
import { buildDigest, digest, Results } from '../hearing.mjs';
import { hearLive, noTime } from '../live/hear.mjs';
import { ownStream } from '../live/systems.mjs';
import { followed } from '../live/transcript.mjs';

/** Mode → its options of transcribe(): what the model makes of all the sound. */
export const modes = { default: { vad: false }, openai: { compatibility: 'openai' } };

/** Blocks in which sound arrives live, in seconds. */
const block = 0.08;

const told = ({ start, end, text, decision, noSpeechProb, avgLogprob, ...segment }) => ({
  ...{ seek: segment.seek, start, end, text, decision, temperature: segment.temperature },
  ...{ noSpeechProb, avgLogprob, compressionRatio: segment.compressionRatio },
  attempts: segment.attempts,
});

const timed = ({ word, start, end }) => ({ word, start, end });

async function offline(model, samples, options) {
  const { text, segments, rejected } = await model.transcribe(samples, options);
  return {
    text,
    segments: segments.map(told),
    rejected: rejected.map(told),
    words: segments.flatMap(({ words = [] }) => words.map(timed)),
  };
}

async function live(model, samples, options) {
  const open = async (onEvent) => ownStream(model.stream(options), onEvent);
  const { deliveries } = await hearLive(open, samples, noTime, block);
  const { text, commits } = followed(deliveries);
  return { text, segments: [], rejected: [], words: commits.map(timed) };
}

/**
 * What a call heard. `share`: of real time. `words`: of a stream, or with timestamps of words. A stream does not tell what it dropped.
 * @typedef {{ text: string; share: number; segments: object[]; rejected: object[];
 *   words: { word: string; start: number; end: number }[] }} Heard
 */
export class Listener {
  #model;
  #about;
  #results = new Map();

  /** @type {(variant: string, name?: import('../../trained_model.mjs').TrainedName) => Promise<Listener>} */
  static async create(variant, name = 'tiny.en') {
    const path = await ensureTrainedModel({ name });
    const { loadModel } = await import(pathToFileURL(join(root, 'dist/node.mjs')).href);
    const about = { whole: true, build: buildDigest(variant), model: digest(readFileSync(path)) };
    return new Listener(await loadModel(path, { variant }), { ...about, variant });
  }

  constructor(model, about) {
    this.#model = model;
    this.#about = about;
  }

  /** As a file, with options of transcribe(); or live, with those of stream(). @type {(samples: Float32Array, options: object, isLive?: boolean) => Promise<Heard>} */
  async hear(samples, options, isLive = false) {
    const about = { ...this.#about, isLive, options };
    const key = digest(JSON.stringify(about));
    if (!this.#results.has(key)) this.#results.set(key, new Results(key, about));
    const results = this.#results.get(key);
    const kept = results.get({ samples });
    if (kept) return kept;
    const begin = performance.now();
    const found = await (isLive ? live : offline)(this.#model, samples, options);
    const seconds = (performance.now() - begin) / 1000;
    const heard = { ...found, share: seconds / (samples.length / whisper.sampleRate) };
    results.add({ samples }, heard);
    return heard;
  }

  close() {
    this.#model.dispose();
  }
}
