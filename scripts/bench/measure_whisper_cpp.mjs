// A whole call of whisper.cpp as @remotion/whisper-web ships it: loading, mel, encoder and the text's tokens. It needs a page with
// cross-origin isolation; it tells no times of its own, and a model is loaded for each call.

const resultToken = 'remotion_final:';

/** job: {ggml, audio, threads}. {wholeMs, wasmBytes, text, laterMs (the whole call), memoryMiB} */
export async function measureWhisperCpp({ ggml, audio, threads }, place) {
  const file = await place.read(ggml);
  const samples = new Float32Array((await place.read(audio)).slice().buffer);
  const { default: createModule } = await place.importModule(place.whisperCppEntry);
  let finish;
  const finished = new Promise((done, failed) => {
    finish = { done, failed };
  });
  const heard = (text) => {
    if (text.startsWith(resultToken)) finish.done(text.slice(resultToken.length));
    if (text.startsWith('remotion_busy:')) finish.failed(new Error('whisper.cpp is busy.'));
  };
  const module = await createModule({ print: heard, printErr: () => undefined });
  const start = performance.now();
  module.FS_createDataFile('/', 'model.bin', file, true, true, undefined);
  const status = module.full_default('model.bin', samples, 'model', 'en', threads, false);
  if (status !== 0) throw new Error(`whisper.cpp answers ${status}.`);
  const { transcription = [] } = JSON.parse(await finished);
  const wholeMs = performance.now() - start;
  const wasmBytes = module.HEAPU8.buffer.byteLength;
  const text = transcription.map((segment) => segment.text).join('');
  return { wholeMs, wasmBytes, text, laterMs: wholeMs, memoryMiB: wasmBytes / 2 ** 20 };
}
