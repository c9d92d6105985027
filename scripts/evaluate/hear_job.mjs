// What a model makes of recordings, in a process of its own: the job as the first message, the name of each recording
// with its text and cost as answers.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../toolchain/steps.mjs';
import { recordingSets } from './speech/recording_sets.mjs';

/** Encoder positions that were computed, and whether a shortened window was encoded again. */
function encoderFigures({ segments, rejected }) {
  // A window's segments have the same attempts.
  const windows = new Map([...segments, ...rejected].map(({ seek, attempts }) => [seek, attempts]));
  const encoded = [...windows.values()].flatMap((attempts) =>
    attempts.filter((_, i) => i === 0 || attempts[i - 1].decision === 'retried:encoder-context'),
  );
  return {
    positions: encoded.reduce((sum, { encoderContext }) => sum + encoderContext, 0),
    isEncodedAgain: encoded.length > windows.size,
  };
}

process.once('message', async ({ model: path, variant, options, set, names }) => {
  const { loadModel } = await import(pathToFileURL(join(root, 'dist/node.mjs')).href);
  const model = await loadModel(path, { variant });
  for (const { name, samples } of recordingSets[set]()) {
    if (!names.includes(name)) continue;
    const begin = process.cpuUsage();
    const result = await model.transcribe(samples, { vad: false, ...options });
    const { user, system } = process.cpuUsage(begin);
    const seconds = (user + system) / 1e6;
    const repetitions = result.rejected.filter(
      ({ decision }) => decision === 'dropped:repetition',
    ).length;
    process.send({ name, text: result.text, seconds, repetitions, ...encoderFigures(result) });
  }
  model.dispose();
  process.disconnect();
});
