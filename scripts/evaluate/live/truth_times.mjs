// When each word of a known text is said, as tiny.en aligns it; kept in build/evaluate/results.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../toolchain/steps.mjs';
import { ensureTrainedModel } from '../../trained_model.mjs';
import { digest, Results } from '../hearing.mjs';

/** Always the same engine, whatever is measured. */
const variant = 'simd';

/**
 * Returns what aligns, and what ends it.
 * @type {() => Promise<{ timesOf: (samples: Float32Array, text: string) =>
 *   Promise<readonly import('./latencies.mjs').TimedWord[]>; close: () => void }>}
 */
export async function truthTimes() {
  const path = await ensureTrainedModel();
  const model = digest(readFileSync(path));
  const about = { aligned: true, variant, model };
  const results = new Results(digest(JSON.stringify(about)), about);
  let loading;
  const loaded = () =>
    (loading ??= import(pathToFileURL(join(root, 'dist/node.mjs')).href).then(({ loadModel }) =>
      loadModel(path, { variant }),
    ));
  return {
    async timesOf(samples, text) {
      const kept = results.get({ samples });
      if (kept?.text === text) return kept.words;
      const aligned = await (await loaded()).align(samples, text);
      const words = aligned.map(({ word, start, end }) => ({ word, start, end }));
      results.add({ samples }, { text, words });
      return words;
    },
    async close() {
      (await loading)?.dispose();
    },
  };
}
