// Whole results of tiny.en in q8_0, in the default mode and in the reference's, measured once for each engine.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { whisper } from '../../facts/read_facts.mjs';
import { root } from '../../toolchain/steps.mjs';
import { ensureTrainedModel } from '../../trained_model.mjs';
import { digest, Results } from '../hearing.mjs';

/** Mode → its options of transcribe(): what the model makes of all the sound. */
export const modes = { default: { vad: false }, openai: { compatibility: 'openai' } };

const told = ({ start, end, text, decision, noSpeechProb, avgLogprob, ...segment }) => ({
  ...{ seek: segment.seek, start, end, text, decision, temperature: segment.temperature },
  ...{ noSpeechProb, avgLogprob, compressionRatio: segment.compressionRatio },
  attempts: segment.attempts,
});

/**
 * What a call heard. `share`: of real time.
 * @typedef {{ text: string; share: number; segments: object[]; rejected: object[] }} Heard
 */
export class Listener {
  #model;
  #results = new Map();

  static async create(variant) {
    const path = await ensureTrainedModel();
    const { loadModel } = await import(pathToFileURL(join(root, 'dist/node.mjs')).href);
    return new Listener(await loadModel(path, { variant }), path, variant);
  }

  constructor(model, path, variant) {
    this.#model = model;
    const engine = digest(readFileSync(join(root, `dist/engine.${variant}.wasm`)));
    for (const [mode, options] of Object.entries(modes)) {
      const about = { whole: true, engine, model: digest(readFileSync(path)), variant, options };
      this.#results.set(mode, new Results(digest(JSON.stringify(about)), about));
    }
  }

  /** @type {(mode: keyof typeof modes, samples: Float32Array) => Promise<Heard>} */
  async hear(mode, samples) {
    const results = this.#results.get(mode);
    const kept = results.get({ samples });
    if (kept) return kept;
    const begin = performance.now();
    const { text, segments, rejected } = await this.#model.transcribe(samples, modes[mode]);
    const seconds = (performance.now() - begin) / 1000;
    const heard = {
      text,
      share: seconds / (samples.length / whisper.sampleRate),
      segments: segments.map(told),
      rejected: rejected.map(told),
    };
    results.add({ samples }, heard);
    return heard;
  }

  close() {
    this.#model.dispose();
  }
}
