// npm run soak: the same again and again in one tab of Chromium, and what is left of it: models loaded, used and freed, then
// recordings transcribed by one model.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { serve } from './serve_demo.mjs';
import { findOnPath, main, readArguments, root, StepError } from './toolchain/steps.mjs';

const usage = `npm run soak -- [--count N] [--every N]

Loads the ten-word model, transcribes a second of speech and disposes of the model, N times (1000); then transcribes it N times with
one model. Prints, after every N (100), what the tab holds after a garbage collection. Needs a build and Chromium.`;

const columns = [
  '',
  'heap, MB',
  'array buffers, MB',
  'WebAssembly, MB',
  'workers',
  'JS event listeners',
];

async function measured(page, session, label) {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  const { backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
  const wasm = await page.evaluate('window.wasmBytes ?? 0');
  const megabytes = (bytes) => (bytes / 1e6).toFixed(2);
  return [
    label,
    megabytes(of('JSHeapUsedSize')),
    megabytes(backingStorageSize),
    megabytes(wasm),
    page.workers().length,
    of('JSEventListeners'),
  ];
}

await main(async () => {
  const { values } = readArguments({
    options: {
      count: { type: 'string', default: '1000' },
      every: { type: 'string', default: '100' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const [count, every] = [values.count, values.every].map(Number);
  const executablePath = process.env.CHROMIUM ?? findOnPath('chromium');
  if (!executablePath)
    throw new StepError('There is no Chromium here.', 'Set CHROMIUM to its path.');
  if (!existsSync(join(root, 'dist/index.mjs'))) {
    throw new StepError('There is no build.', 'Build it: npm run build.');
  }
  const server = await serve({ folder: root, port: 0 });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.route('**/empty.html', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>soak</title>' }),
    );
    await page.goto(`${server.address}empty.html`);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    await page.evaluate(`(async () => {
      const { loadModel } = await import('/dist/index.mjs');
      const { fixtureAudio } = await import('/dist/testing.mjs');
      const second = (await fixtureAudio()).slice(0, 16000);
      const used = async (model) => {
        const { text } = await model.transcribe(second, { vad: false });
        if (text.trim() !== 'three') throw new Error('It heard: ' + text);
      };
      window.cycle = async () => {
        const model = await loadModel('digits', { threads: 1 });
        await used(model);
        window.wasmBytes = (await model.memory()).wasmBytes;
        model.dispose();
      };
      let model;
      window.transcribe = async () => {
        model ??= await loadModel('digits', { threads: 1 });
        await used(model);
        window.wasmBytes = (await model.memory()).wasmBytes;
      };
    })()`);
    for (const [what, call] of [
      ['loaded, used and freed', 'cycle'],
      ['transcribed by one model', 'transcribe'],
    ]) {
      console.log(`| ${[what, ...columns.slice(1)].join(' | ')} |`);
      console.log(`| ${columns.map((_, i) => (i === 0 ? '---' : '---:')).join(' | ')} |`);
      for (let done = 0; done < count;) {
        const times = Math.min(every, count - done);
        await page.evaluate(
          `(async () => { for (let i = 0; i < ${times}; ++i) await ${call}(); })()`,
        );
        done += times;
        console.log(`| ${(await measured(page, session, `${done} times`)).join(' | ')} |`);
      }
    }
  } finally {
    await browser.close();
    await server.close();
  }
});
