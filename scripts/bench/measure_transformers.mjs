// Usual calls of Transformers.js, on ONNX Runtime Web, in a browser's worker.
import { timed } from './measure_ours.mjs';

/** job: {folder (with a model's folder in it), model (its name), dtype, samples, threads}. {loadMs, firstMs, laterMs, text} */
export async function measureTransformers({ folder, model, dtype, samples: path, threads }, place) {
  const { env, pipeline } = await place.importModule(place.transformersEntry);
  const samples = new Float32Array((await place.read(path)).slice().buffer);
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  // Not a URL: those it takes for the hub's.
  env.localModelPath = `/${folder}`;
  env.useBrowserCache = false;
  env.backends.onnx.wasm.numThreads = threads;
  env.backends.onnx.wasm.wasmPaths = place.transformersRuntime;
  const [loadMs, transcribe] = await timed(() =>
    pipeline('automatic-speech-recognition', model, { dtype, device: 'wasm' }),
  );
  // Longer recordings are cut into overlapping windows, as its documentation has it.
  const call = () => transcribe(samples, { chunk_length_s: 30, return_timestamps: true });
  const [firstMs] = await timed(call);
  const [laterMs, { text }] = await timed(call);
  return { loadMs, firstMs, laterMs, text };
}
