// Models that were never disposed of end when they are garbage-collected, and warn once.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { samplePath, sampleText } from '../support/embedded_model.js';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';

/** What a program prints whose models are gone; `body` uses them. In a process of its own: jest keeps what it sees. */
function run(body: string): Record<string, unknown> {
  const program = `
    import { readFileSync } from 'node:fs';
    import { loadModel } from ${JSON.stringify(pathToFileURL(join(projectRoot, 'dist/node.mjs')).href)};
    const warnings = [];
    console.warn = (text) => warnings.push(text);
    const { Worker } = await import('node:worker_threads');
    let ended = 0;
    const terminate = Worker.prototype.terminate;
    Worker.prototype.terminate = function () {
      ++ended;
      return terminate.call(this);
    };
    const audio = readFileSync(${JSON.stringify(samplePath)});
    const texts = [];
    let gone = 0;
    const watched = new FinalizationRegistry(() => ++gone);
    const options = { threads: 3 };
    /** Garbage is collected when the engine likes; after so many rounds it is not going to be. */
    const collect = async (enough, rounds = 200) => {
      for (let round = 0; round < rounds && !enough(); ++round) {
        globalThis.gc();
        await new Promise((done) => setTimeout(done, 5));
      }
    };
    ${body}
    console.log(JSON.stringify({ warnings, ended, gone, texts }));`;
  const file = join(mkdtempSync(join(tmpdir(), 'susurrus-forgotten-')), 'program.mjs');
  writeFileSync(file, program);
  try {
    const options = { encoding: 'utf8', timeout: limit(60_000) } as const;
    const output = execFileSync(process.execPath, ['--expose-gc', file], options);
    return JSON.parse(output) as Record<string, unknown>;
  } finally {
    rmSync(dirname(file), { recursive: true });
  }
}

test('the threads of a model that was used end with it; there is one warning', () => {
  const found = run(`
    const use = async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const model = await loadModel('digits', { ...options, signal, onProgress: () => undefined });
      watched.register(model);
      const transcription = model.transcribe(audio, { signal, vad: false });
      const heard = [];
      for await (const { text } of transcription) heard.push(text.trim());
      texts.push(heard.join(' '));
      await model.tokenizer.encode('one');
      await model.decode(new Float32Array(16000)).catch(() => undefined);
      await Promise.allSettled([model.transcribe(audio, { beamSize: 99 }), model.memory()]);
      return controller;
    };
    const kept = [await use(), await use()];
    await collect(() => gone === 2 && ended === 4);
    if (kept.length !== 2) throw new Error();
  `);
  expect(found).toMatchObject({ gone: 2, ended: 4, texts: [sampleText, sampleText] });
  expect(found.warnings).toEqual([expect.stringMatching(/^Susurrus: a model was .*dispose\(\)/)]);
});

test('further engines end with their model, whose callbacks refer to it', () => {
  const found = run(`
    const samples = new Int16Array(audio.buffer.slice(audio.byteOffset + 44, audio.byteOffset + 280044));
    const long = new Int16Array(5 * samples.length);
    for (let i = 0; i < 5; ++i) long.set(samples, i * samples.length);
    const use = async () => {
      let model;
      model = await loadModel('digits', { onProgress: () => void model });
      watched.register(model);
      const { text } = await model.transcribe(long, { workers: 2, onProgress: () => void model });
      texts.push(String(text.length > 100));
    };
    await use();
    await collect(() => gone === 1 && ended === 1);
  `);
  expect(found).toMatchObject({ gone: 1, ended: 1, texts: ['true'] });
});

test('one that is disposed of, or sleeps by itself, is nothing to warn of', () => {
  const found = run(`
    const use = async () => {
      const model = await loadModel('digits', options);
      watched.register(model);
      await model.tokenizer.encode('one');
      model.dispose();
      const sleeping = await loadModel('digits', { ...options, autoSleep: 0.001 });
      watched.register(sleeping);
      await sleeping.tokenizer.encode('one');
    };
    await use();
    await collect(() => gone === 2 && ended === 4);
  `);
  expect(found).toMatchObject({ gone: 2, ended: 4, warnings: [] });
});

test('one with work under way is kept', () => {
  const found = run(`
    let feed;
    const more = new Promise((done) => { feed = done; });
    async function* stream() {
      yield new Float32Array(16000);
      await more;
    }
    const begin = async () => {
      const model = await loadModel('digits', options);
      watched.register(model);
      return { transcription: model.transcribe(stream(), { vad: false }) };
    };
    const { transcription } = await begin();
    await collect(() => gone > 0 || ended > 0, 20);
    const before = [gone, ended];
    feed();
    const { text } = await transcription;
    texts.push(JSON.stringify(before), typeof text);
    await collect(() => gone === 1 && ended === 2);
  `);
  expect(found).toMatchObject({ texts: ['[0,0]', 'string'], gone: 1, ended: 2 });
});

test('streams that nobody closed end in the engine, with their detectors; there is one warning', () => {
  const found = run(`
    const model = await loadModel('digits');
    const { signal } = new AbortController();
    const drop = async (vad, revise) => {
      const live = model.stream({ vad, revise, signal, onLag: () => live });
      watched.register(live);
      const reading = live[Symbol.asyncIterator]();
      await live.feed(new Float32Array(16000));
      void reading.next();
    };
    const heap = async () => (await model.memory()).heapBytes;
    const before = await heap();
    for (let round = 0; round < 6; ++round) await drop(round === 0, round === 1);
    const open = await heap();
    await collect(() => gone === 6 && warnings.length > 0);
    await new Promise((done) => setImmediate(done));
    texts.push(open - before > 2_000_000, (await heap()) - before < 500_000);
    model.dispose();`);
  expect(found).toMatchObject({ gone: 6, texts: [true, true] });
  expect(found.warnings).toEqual([expect.stringContaining('stream was garbage collected')]);
});
