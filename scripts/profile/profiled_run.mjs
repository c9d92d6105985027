// Transcribes under V8's sampling profiler: node profiled_run.mjs, the job as the first message, {profile, facts} as answer.
//
// job: {package, model (paths), variant, samples (path of raw samples), tokens (in each window; undefined for a usual call)}
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';

const intervalMicroseconds = 500;

async function profiled(work) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: intervalMicroseconds });
  await session.post('Profiler.start');
  const result = await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return { profile, result };
}

/** Every window has its tokens, whatever random weights say. */
const withTokens = (model, tokens) => ({
  ...{ temperature: 0, timestamps: 'none', compatibility: 'openai' },
  ...{ noSpeechThreshold: null, suppressTokens: [-1, model.tokenizer.special.endOfText] },
  sampleLength: tokens,
});

async function doJob({ package: entry, model: path, variant, samples, tokens }) {
  const { loadModel } = await import(pathToFileURL(entry).href);
  const model = await loadModel(path, { variant });
  const recording = new Float32Array(readFileSync(samples).buffer);
  const options = tokens === undefined ? {} : withTokens(model, tokens);
  const { profile, result } = await profiled(() =>
    model.transcribe(recording, { language: 'en', vad: false, ...options }),
  );
  const { segments, duration } = result;
  const made = segments.reduce((sum, segment) => sum + segment.tokens.length, 0);
  const facts = { duration, tokens: made, node: process.version };
  model.dispose();
  return { profile, facts };
}

process.once('message', async (job) => {
  let answer;
  try {
    answer = await doJob(job);
  } catch (error) {
    answer = { error: String(error?.stack ?? error) };
  }
  process.send(answer, () => process.exit());
});
