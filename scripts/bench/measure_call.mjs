// Usual calls of our package with a trained model: load, the first call and a later one; in Node and in a browser's worker.
import { openModel, timed, unlessNoThreads } from './measure_ours.mjs';

/** job: {model, samples (path of raw samples), variant, threads}. {loadMs, firstMs, laterMs, text, memoryMiB} */
export const measureCall = (job, place) =>
  unlessNoThreads(async () => {
    const { loadModel } = await place.importModule(place.packageEntry);
    const samples = new Float32Array((await place.read(job.samples)).slice().buffer);
    const { variant, threads } = job;
    const [loadMs, model] = await timed(() =>
      openModel(loadModel, place.address(job.model), { variant, threads }),
    );
    try {
      const call = () => model.transcribe(samples, { language: 'en', vad: false });
      const [firstMs] = await timed(call);
      const [laterMs, { text }] = await timed(call);
      const { wasmBytes } = await model.memory();
      return { loadMs, firstMs, laterMs, text, memoryMiB: wasmBytes / 2 ** 20 };
    } finally {
      model.dispose();
    }
  });
