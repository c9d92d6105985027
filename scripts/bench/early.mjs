// How much sooner the first text comes with loadModel(url, { early: true }): loads from a server that sends so many Mbit/s, in turn
// with and without, in Node.
//
//   node scripts/bench/early.mjs [--rates 10,50] [--runs 3] MODEL.apr AUDIO.wav
//
// Times run from the start of the download to the first segment: six tokens, since random weights have no end.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { main } from '../toolchain/steps.mjs';
import { wavSamples } from '../wav_samples.mjs';
import { median } from '../statistics.mjs';

const pieceBytes = 1 << 14;

/** Sends `bytes` at `rate` Mbit/s, counted from the request on, so that a late piece does not slow down those after it. */
async function send(bytes, rate, response) {
  response.writeHead(200, { 'content-length': bytes.length });
  const begin = performance.now();
  for (let at = 0; at < bytes.length && !response.destroyed; at += pieceBytes) {
    const early = begin + (at * 8) / (rate * 1000) - performance.now();
    if (early > 0) await pause(early);
    const piece = bytes.subarray(at, at + pieceBytes);
    if (!response.write(piece)) await new Promise((done) => response.once('drain', done));
  }
  response.end();
}

async function firstSegment(loadModel, url, early, samples) {
  const begin = performance.now();
  const model = await loadModel(url, { early });
  const options = {
    ...{ language: 'en', vad: false, sampleLength: 6, temperature: 0 },
    noSpeechThreshold: null,
  };
  await model.transcribe(samples, options);
  const milliseconds = performance.now() - begin;
  model.dispose();
  return milliseconds;
}

await main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rates: { type: 'string', default: '10,50' },
      runs: { type: 'string', default: '3' },
    },
  });
  const [modelPath, audioPath] = positionals;
  const { loadModel } = await import('../../dist/node.mjs');
  const bytes = readFileSync(modelPath);
  const samples = wavSamples(readFileSync(audioPath));
  for (const rate of values.rates.split(',').map(Number)) {
    const server = createServer((_, response) => void send(bytes, rate, response));
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${server.address().port}/model.apr`;
    const times = { first: [], early: [] };
    for (let run = 0; run < Number(values.runs); ++run) {
      times.first.push(await firstSegment(loadModel, url, false, samples));
      times.early.push(await firstSegment(loadModel, url, true, samples));
    }
    server.close();
    const [first, early] = [median(times.first), median(times.early)];
    const download = (bytes.length * 8) / (rate * 1000);
    const seconds = (milliseconds) => (milliseconds / 1000).toFixed(2);
    console.log(
      `${rate} Mbit/s, ${(bytes.length / 1e6).toFixed(1)} MB (${seconds(download)} s): load, then run ` +
        `${seconds(first)} s, early ${seconds(early)} s, ratio ${(early / first).toFixed(3)}; ` +
        `after the download ${seconds(first - download)} s and ${seconds(early - download)} s`,
    );
  }
});
