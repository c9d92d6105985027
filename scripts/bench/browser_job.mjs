// Does one job in a page's worker: the job as the first message, the result as the only answer.
import { doJob } from './jobs.mjs';

const address = (path) => `${globalThis.location.origin}/${path}`;
const peers = 'build/bench/peers/node_modules';
const place = {
  packageEntry: 'dist/index.mjs',
  onnxEntry: `${peers}/onnxruntime-web/dist/ort.wasm.min.mjs`,
  onnxFolder: address(`${peers}/onnxruntime-web/dist/`),
  transformersEntry: `${peers}/@huggingface/transformers/dist/transformers.min.js`,
  transformersRuntime: address(
    `${peers}/@huggingface/transformers/node_modules/onnxruntime-web/dist/`,
  ),
  whisperCppEntry: `${peers}/@remotion/whisper-web/main.js`,
  async read(path) {
    const response = await fetch(address(path));
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  },
  async readThrough(path) {
    const reader = (await fetch(address(path))).body.getReader();
    while (!(await reader.read()).done);
  },
  address,
  importModule: (path) => import(address(path)),
};

globalThis.onmessage = async ({ data: job }) => {
  try {
    globalThis.postMessage({ result: await doJob(job, place) });
  } catch (error) {
    globalThis.postMessage({ error: String(error?.stack ?? error) });
  }
};
