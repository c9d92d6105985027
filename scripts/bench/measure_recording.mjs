// A whole recording, from the model's URL or path to the last word.
import { openModel, timed, unlessNoThreads } from './measure_ours.mjs';

/**
 * job: {model, samples (path of raw samples, or absent), repeat (how often they follow each other), variant, threads,
 * tokens (in each window; absent: as the text comes), isStream, isWarm (a part is heard before the time begins)}. Times in ms, memory before and after.
 */
export const measureRecording = (job, place) => unlessNoThreads(() => transcribe(job, place));

async function transcribe(job, place) {
  const { variant, threads, tokens, repeat = 1 } = job;
  const { loadModel } = await place.importModule(place.packageEntry);
  const part = new Float32Array((await place.read(job.samples)).slice().buffer);
  const [loadMs, model] = await timed(() =>
    openModel(loadModel, place.address(job.model), { variant, threads }),
  );
  try {
    const { endOfText } = model.tokenizer.special;
    const settings = {
      vad: false,
      language: 'en',
      temperature: 0,
      timestamps: 'none',
      ...(tokens && {
        compatibility: 'openai',
        noSpeechThreshold: null,
        suppressTokens: [-1, endOfText],
        sampleLength: tokens,
      }),
    };
    // One maximum for each window is what a stream gets; its parts are never held together.
    async function* parts() {
      for (let i = 0; i < repeat; ++i) yield part;
    }
    if (job.isWarm) await model.transcribe(part, settings);
    const recording = job.isStream ? parts() : part;
    const [workMs, { duration, segments }] = await timed(() =>
      model.transcribe(recording, settings),
    );
    const memory = await model.memory();
    return {
      ...{ loadMs, workMs, duration, memory, dims: model.info.dims },
      tokens: segments.reduce((sum, segment) => sum + segment.tokens.length, 0),
      windows: new Set(segments.map((segment) => segment.seek)).size,
    };
  } finally {
    model.dispose();
  }
}
