import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { serve } from '../../scripts/serve_demo.mjs';
import { limit } from '../support/limits.js';
import { installPacked } from '../support/packed_package.js';
import type { EmptyProject } from '../support/packed_package.js';
import { projectRoot } from '../support/shared_folder.js';
import { sampleSegments } from './browser_page.js';
import { launchBrowser, textOf, vite, writeVitePage } from './package_page.js';

jest.setTimeout(limit(120_000));

let project: EmptyProject;
let browser: Browser;
beforeAll(async () => {
  project = installPacked();
  writeVitePage(
    project,
    `import { loadModel } from 'susurrus';
     import { listModels } from 'susurrus/cache';
     import { detectSpeech } from 'susurrus/vad';
     import digits from 'susurrus/models/digits.apr?url';
     import sample from './sample.wav?url';`,
    `const model = await loadModel('digits');
     const sound = await (await fetch(sample)).blob();
     const { text: words } = await model.transcribe(sound, { vad: true });
     const speech = (await detectSpeech(sound)).length;
     const warnings = [];
     for (const cache of [true, 'only']) warnings.push(...(await loadModel(digits, { cache })).info.warnings);
     const kept = (await listModels()).filter((one) => one.complete).length + warnings.join();
     text = model.info.variant + ' ' + model.info.threads + ':' + words + ' kept ' + kept + ' speech ' + speech;`,
  );
  copyFileSync(join(projectRoot, 'web/demo/sample.wav'), join(project.folder, 'sample.wav'));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  project.remove();
});

test('a page built by Vite transcribes, under the strict policy', async () => {
  project.node(vite, 'build', '--logLevel', 'error');
  const assets = readdirSync(join(project.folder, 'dist/assets'));
  // The binaries and the worker, for one thread and for several, those of other families, the workers for files, audio and kept models, the model and the voice detector became
  // files of the build.
  for (const [pattern, count] of [
    [/^engine\.simd.*\.wasm$/, 2],
    [/^engine\.relaxed.*\.wasm$/, 2],
    [/^networks\.(simd|relaxed).*\.wasm$/, 2],
    [/^files.*\.wasm$/, 1],
    [/^worker.*\.m?js$/, 7],
    // A file too, not a data: URL, from which the policy would load nothing.
    [/^capture_worklet.*\.m?js$/, 1],
    [/\.apr$/, 1],
    [/\.tsm$/, 1],
  ] as const) {
    expect(assets.filter((name) => pattern.test(name))).toHaveLength(count);
  }
  for (const isolated of [false, true]) {
    const server = await serve({ folder: join(project.folder, 'dist'), port: 0, isolated });
    try {
      const { text, problems } = await textOf(browser, server.address);
      const threads = isolated ? Math.min(8, availableParallelism()) : 1;
      expect(text).toMatch(
        new RegExp(`^(relaxed|simd) ${threads}: ${sampleSegments.join(' ')} kept 1 speech [1-9]$`),
      );
      expect(problems).toEqual([]);
    } finally {
      await server.close();
    }
  }
});

test("a page on Vite's development server transcribes, without configuration", async () => {
  const server = spawn(process.execPath, [vite, '--port', '0', '--clearScreen', 'false'], {
    cwd: project.folder,
    env: { ...process.env, NO_COLOR: '1' },
  });
  try {
    const address = await new Promise<string>((done, failed) => {
      let output = '';
      server.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const found = /http:\/\/localhost:\d+\//.exec(output);
        if (found) done(found[0]);
      });
      server.on('close', () => failed(new Error(`Vite ended: ${output}`)));
    });
    const { text, problems } = await textOf(browser, address);
    expect(text).toMatch(
      new RegExp(`^(relaxed|simd) 1: ${sampleSegments.join(' ')} kept 1 speech [1-9]$`),
    );
    expect(problems).toEqual([]);
  } finally {
    server.kill();
  }
});

test('a module worker of one’s own, with an await at its top, is built with the line that the documents name', async () => {
  const documents = readFileSync(join(projectRoot, 'docs/bundlers.md'), 'utf8');
  const configuration = /\bworker: \{ format: 'es' \}/.exec(documents);
  expect(configuration).not.toBeNull();
  project.write(
    'own.js',
    `import { loadModel } from 'susurrus';
     const model = await loadModel('digits');
     postMessage(model.info.family);`,
  );
  writeVitePage(
    project,
    '',
    `const worker = new Worker(new URL('./own.js', import.meta.url), { type: 'module' });
     text = await new Promise((done) => (worker.onmessage = ({ data }) => done(data)));`,
  );
  project.write('vite.config.js', `export default { ${configuration![0]} };`);
  project.node(vite, 'build', '--logLevel', 'error');
  const server = await serve({ folder: join(project.folder, 'dist'), port: 0 });
  try {
    expect(await textOf(browser, server.address)).toEqual({ text: 'whisper', problems: [] });
  } finally {
    await server.close();
  }
});
