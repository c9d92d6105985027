// Who hears the recordings: Susurrus as a file and live, and both other programs as a file. What was heard once is kept in
// build/evaluate/results.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ReferenceProcess } from '../../reference/reference_process.mjs';
import { NoReference, openReference } from '../../reference/setup.mjs';
import { root } from '../../toolchain/steps.mjs';
import { ensureTrainedFolder, ensureTrainedModel } from '../../trained_model.mjs';
import { buildDigest, digest, Results } from '../hearing.mjs';
import { ensureLiveEnvironment } from '../live/environment.mjs';
import { hearLive, noTime } from '../live/hear.mjs';
import { ownStream } from '../live/systems.mjs';
import { followed } from '../live/transcript.mjs';

/** What was heard, in which language. `probability`: of a detected one. @typedef {{ text: string; language?: string; probability?: number }} Heard */
/** `language`: the last one that the stream told. `revised`: the text after all revisions. @typedef {Heard & { revised: string }} HeardLive */
/**
 * `language`: a code, 'auto', or 'per-window' as a file and 'per-utterance' live.
 * @typedef {object} Hearer
 * @property {string} title
 * @property {(samples: Float32Array, language: string) => Promise<Heard>} offline
 * @property {(samples: Float32Array, language: string) => Promise<HeardLive>} [live]
 * @property {() => void} close
 */

/** Blocks in which sound arrives live, in seconds. */
const block = 0.08;

/** `hear` with memory: results by what they depend on, and by samples. */
function keeping(about, hear) {
  const results = new Map();
  return async (samples, language) => {
    if (!results.has(language)) {
      const all = { for: 'languages', ...about, language };
      results.set(language, new Results(digest(JSON.stringify(all)), all));
    }
    const kept = results.get(language);
    if (!kept.get({ samples })) kept.add({ samples }, await hear(samples, language));
    return kept.get({ samples });
  };
}

async function heardLive(model, samples, language) {
  const open = async (onEvent) =>
    ownStream(model.stream({ language, revise: true, script: 'simplified' }), onEvent);
  const { deliveries } = await hearLive(open, samples, noTime, block);
  const transcript = followed(deliveries);
  const told = deliveries.map(({ event }) => event).filter(({ type }) => type === 'language');
  const { language: last, probability } = told.at(-1) ?? {};
  const { text } = transcript;
  return { text, revised: transcript.revisedText ?? text, language: last, probability };
}

/** @type {(name: import('../../trained_model.mjs').TrainedName, variant: string) => Promise<Hearer & Required<Pick<Hearer, 'live'>>>} */
export async function ourHearer(name, variant) {
  const path = await ensureTrainedModel({ name });
  const { loadModel } = await import(pathToFileURL(join(root, 'dist/node.mjs')).href);
  const model = await loadModel(path, { variant, threads: 1 });
  const about = { build: buildDigest(variant), model: digest(readFileSync(path)), variant };
  return {
    title: 'Susurrus',
    offline: keeping({ ...about, way: 'offline' }, async (samples, asked) => {
      const { text, language, languageProbability } = await model.transcribe(samples, {
        ...{ language: asked, script: 'simplified' },
      });
      return { text, language, probability: languageProbability };
    }),
    live: keeping({ ...about, way: 'live' }, (samples, asked) => heardLive(model, samples, asked)),
    close: () => model.dispose(),
  };
}

async function openaiWhisper(name) {
  const folder = join(root, 'build/evaluate/reference', name);
  const { convertModel } = await import(
    pathToFileURL(join(root, 'dist/model_files.node.mjs')).href
  );
  await convertModel(await ensureTrainedFolder({ name }), folder, {
    ...{ format: 'safetensors', dtype: 'f32', force: true },
  });
  const reference = await openReference();
  const raw = join(root, 'build/evaluate', `samples.${process.pid}`);
  return {
    async offline(samples, language) {
      writeFileSync(raw, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
      const { result } = await reference.need({
        ...{ command: 'run', function: 'transcribe', model: folder, samples: raw },
        ...{ most_windows: 1000, options: language === 'auto' ? {} : { language } },
      });
      return { text: result.text, language: result.language };
    },
    close() {
      reference.close();
      rmSync(raw, { force: true });
    },
  };
}

async function fasterWhisper(name) {
  const path = join(import.meta.dirname, '../live/python/agreement_worker.py');
  const folder = await ensureTrainedFolder({ name });
  const worker = new ReferenceProcess(await ensureLiveEnvironment(), [path, folder]);
  try {
    await worker.need({ command: 'begin', vad: false });
  } catch (error) {
    worker.close();
    throw new NoReference(error.message);
  }
  return {
    async offline(samples, language) {
      const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
      const told = language === 'auto' ? null : language;
      const request = { vad: false, language: told, samples: bytes.toString('base64') };
      const { text, ...found } = await worker.need({ command: 'offline', ...request });
      return { text, language: found.language, probability: found.probability };
    },
    close: () => worker.close(),
  };
}

const others = {
  'openai-whisper': { title: 'openai-whisper, float32', open: openaiWhisper },
  'faster-whisper': { title: 'faster-whisper, int8', open: fasterWhisper },
};

/** Names of the other programs. @type {readonly string[]} */
export const peers = Object.keys(others);

/** Chinese in the characters of the sentences, as `script` gives it. */
async function simplified(heard) {
  if (heard.language !== 'zh') return heard;
  const { convert } = await import(pathToFileURL(join(root, 'dist/script_simplified.mjs')).href);
  return { ...heard, text: convert(heard.text) };
}

/**
 * Those of the other programs that run here; a line on stderr for each that does not.
 * @type {(names: readonly string[], name: import('../../trained_model.mjs').TrainedName) => Promise<Hearer[]>}
 */
export async function otherHearers(names, name) {
  mkdirSync(join(root, 'build/evaluate/reference'), { recursive: true });
  const opened = [];
  for (const peer of names) {
    const { title, open } = others[peer];
    try {
      const { offline, close } = await open(name);
      const hear = keeping({ peer, name }, offline);
      opened.push({ title, offline: async (...how) => simplified(await hear(...how)), close });
    } catch (error) {
      if (!(error instanceof NoReference)) throw error;
      console.error(`${peer} is left out: ${error.message.trim().split('\n').at(-1)}`);
    }
  }
  return opened;
}
