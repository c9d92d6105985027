// Runs ONNX files in onnxruntime, in a thread of its own: among Jest's globals its tensors are of no known class.
import { parentPort } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const names = {
  f32: 'float32',
  f64: 'float64',
  f16: 'float16',
  i8: 'int8',
  u8: 'uint8',
  i16: 'int16',
  u16: 'uint16',
  i32: 'int32',
  u32: 'uint32',
  i64: 'int64',
  u64: 'uint64',
  bool: 'bool',
};
const types = Object.fromEntries(Object.entries(names).map(([type, name]) => [name, type]));

async function run({ file, inputs }) {
  const session = await InferenceSession.create(file, {
    logSeverityLevel: 4,
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const feeds = {};
  for (const [name, { type, shape, data }] of Object.entries(inputs)) {
    feeds[name] = new Tensor(names[type], data, shape);
  }
  const results = await session.run(feeds);
  const outputs = session.outputNames.map((name) => {
    const { type, dims, data } = results[name];
    return { type: types[type], shape: [...dims], data };
  });
  await session.release();
  return outputs;
}

parentPort.on('message', async (jobs) => {
  const answers = [];
  for (const job of jobs) {
    try {
      answers.push({ outputs: await run(job) });
    } catch (error) {
      answers.push({ problem: String(error.message ?? error) });
    }
  }
  parentPort.postMessage(answers);
});
