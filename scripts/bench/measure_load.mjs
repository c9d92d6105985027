// How fast a model file becomes a model, through the package's own API; and how much memory that takes, in the engine itself.
// In Node and in a browser's worker.
import { createEngineModule } from './engine_module.mjs';
import { median } from '../statistics.mjs';

/** What loadModel() is given: bytes in memory, or what streams them, from the system's cache of files. */
const sources = {
  memory: (place, path) => place.read(path),
  blob: async (place, path) => new globalThis.Blob([await place.read(path)]),
  // A file in Node, the local server in a page.
  stream: (place, path) => new URL(place.address(path)),
};

/**
 * job: {model, source, variant, loads}. Times in ms, of the first load in this process and the median of the others: `streamMs`
 * from the first byte to the last, `readyMs` to the model.
 */
export async function measureLoad({ model: path, source, variant, loads }, place) {
  const { loadModel } = await place.importModule(place.packageEntry);
  const opened = await sources[source](place, path);
  const times = [];
  let memory;
  for (let i = 0; i < 1 + loads; ++i) {
    let begin;
    let end;
    const onProgress = () => {
      end = performance.now();
      begin ??= end;
    };
    const model = await loadModel(opened, { variant, threads: 1, onProgress });
    times.push({ streamMs: end - begin, readyMs: performance.now() - begin });
    memory = await model.memory();
    model.dispose();
  }
  const [first, ...later] = times;
  return {
    firstMs: first.streamMs,
    streamMs: median(later.map((time) => time.streamMs)),
    readyMs: median(later.map((time) => time.readyMs)),
    weightBytes: memory.weightBytes,
  };
}

const pieceBytes = 1 << 18;

/** job: {model, variant}. {peakBytes}: the most that the engine's heap held until the file was verified. */
export async function measureLoadPeak({ model: path, variant }, place) {
  const bytes = await place.read(path);
  const engine = await createEngineModule(place, 'dist/engine.mjs', `dist/engine.${variant}.wasm`);
  engine.resetHeapPeak();
  const before = engine.heapStatistics().currentBytes;
  const loader = new engine.Loader();
  const check = (error) => {
    if (error !== '') throw new Error(error);
  };
  loader.setByteCount(bytes.length);
  for (let at = 0; at < bytes.length;) {
    const window = loader.inputWindow(Math.min(pieceBytes, bytes.length - at));
    const count = window.length;
    window.set(bytes.subarray(at, at + count));
    check(loader.push(count));
    at += count;
  }
  check(loader.finish());
  return { peakBytes: engine.heapStatistics().peakBytes - before };
}
