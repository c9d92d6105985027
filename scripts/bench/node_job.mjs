// Does one job in a process of its own: node node_job.mjs, the job as the first message, the result as the only answer.
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { doJob } from './jobs.mjs';

const root = join(import.meta.dirname, '../..');
const place = {
  packageEntry: 'dist/node.mjs',
  onnxEntry: 'build/bench/peers/node_modules/onnxruntime-web/dist/ort.node.min.mjs',
  read: async (path) => new Uint8Array(await readFile(join(root, path))),
  async readThrough(path) {
    const file = await open(join(root, path));
    const piece = new Uint8Array(1 << 20);
    while ((await file.read(piece, 0, piece.length, null)).bytesRead > 0);
    await file.close();
  },
  address: (path) => pathToFileURL(join(root, path)).href,
  recording: (path) => join(root, path),
  importModule: (path) => import(pathToFileURL(join(root, path)).href),
};

process.once('message', async (job) => {
  let answer;
  try {
    answer = { result: await doJob(job, place) };
  } catch (error) {
    answer = { error: String(error?.stack ?? error) };
  }
  process.send(answer, () => process.exit());
});
