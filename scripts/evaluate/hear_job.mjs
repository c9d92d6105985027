// What a model makes of recordings, in a process of its own: the job as the first message, { name, text } for each recording.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../toolchain/steps.mjs';
import { sharedRecordings } from './speech/shared_recordings.mjs';
import { speechSet } from './speech/speech_set.mjs';

process.once('message', async ({ model: path, variant, options, names }) => {
  const { loadModel } = await import(pathToFileURL(join(root, 'dist/node.mjs')).href);
  const model = await loadModel(path, { variant });
  for (const { name, samples } of [...speechSet(), ...sharedRecordings()]) {
    if (!names.includes(name)) continue;
    const { text } = await model.transcribe(samples, options);
    process.send({ name, text });
  }
  model.dispose();
  process.disconnect();
});
