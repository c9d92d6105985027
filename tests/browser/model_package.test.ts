// A page built by Vite from two packages, susurrus and a model: a real Whisper without any other server.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { packModel } from '../../scripts/pack_model.mjs';
import { serve } from '../../scripts/serve_demo.mjs';
import { ensureTrainedModel } from '../../scripts/trained_model.mjs';
import { limit } from '../support/limits.js';
import { installPacked } from '../support/packed_package.js';
import { projectRoot } from '../support/shared_folder.js';
import { describeWithTrained } from '../support/trained_model.js';
import { launchBrowser } from './package_page.js';

jest.setTimeout(limit(120_000));

const page = `<!doctype html><title>busy</title><link rel="icon" href="data:,">
<script type="module" src="main.js"></script><p id="text"></p>`;

const program = `
import { loadModel } from 'susurrus';
import model from 'susurrus-model-tiny.en';
import sentences from './sentences.wav?url';

try {
  const whisper = await loadModel(model);
  const { text } = await whisper.transcribe(await (await fetch(sentences)).blob());
  document.querySelector('#text').textContent = text;
} catch (error) {
  document.querySelector('#text').textContent = String(error);
}
document.title = 'done';
`;

describeWithTrained('susurrus-model-tiny.en', () => {
  test('is a real Whisper in a page that Vite built', async () => {
    const output = mkdtempSync(join(tmpdir(), 'susurrus-model-package-'));
    const project = installPacked();
    const browser = await launchBrowser();
    try {
      const path = await ensureTrainedModel();
      project.install(await packModel({ name: 'tiny.en', path, isOpenAis: true, output }));
      project.write('index.html', page);
      project.write('main.js', program);
      copyFileSync(
        join(projectRoot, 'web/demo/sentences.wav'),
        join(project.folder, 'sentences.wav'),
      );
      project.node(
        join(projectRoot, 'node_modules/vite/bin/vite.js'),
        ...['build', '--logLevel', 'error'],
      );
      const server = await serve({ folder: join(project.folder, 'dist'), port: 0 });
      try {
        const opened = await browser.newPage();
        const elsewhere: string[] = [];
        opened.on('request', (request) => {
          if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.address)) {
            elsewhere.push(request.url());
          }
        });
        await opened.goto(server.address);
        await opened.waitForFunction(() => document.title === 'done', undefined, {
          timeout: limit(60_000),
        });
        expect(await opened.textContent('#text')).toMatch(
          /^ ?The ship left the harbor in the morning.* because the soup was very good\.$/s,
        );
        expect(elsewhere).toEqual([]);
      } finally {
        await server.close();
      }
    } finally {
      await browser.close();
      project.remove();
      rmSync(output, { recursive: true });
    }
  });
});
