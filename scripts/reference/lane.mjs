// A process that compares cases one after the other, as its parent asks for them: a reference and an engine of its own.
import { readSamples } from './audio.mjs';
import { compareCase } from './compared_case.mjs';
import { ReferenceProcess } from './reference_process.mjs';

/** `plan`: { python, engine, models: [{ name, folder, file, dims }], recordings: [{ name, file, samples }], seed, variant, cases, samplesFile } */
async function openSession(plan) {
  const { loadModel } = await import(plan.engine);
  const loaded = new Map();
  return {
    ...plan,
    reference: new ReferenceProcess(plan.python),
    samplesOf: new Map(plan.recordings.map(({ name, file }) => [name, readSamples(file)])),
    async model(name) {
      let model = loaded.get(name);
      if (model === undefined) {
        const { file } = plan.models.find((each) => each.name === name);
        model = await loadModel(file, { variant: plan.variant });
        loaded.set(name, model);
      }
      return model;
    },
  };
}

let session;
process.on('message', async ({ plan, index }) => {
  if (plan) session = openSession(plan);
  else process.send(await compareCase(await session, index));
});
process.on('disconnect', () => process.exit());
