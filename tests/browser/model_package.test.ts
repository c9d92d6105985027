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
import { launchBrowser, textOf, vite, writeVitePage } from './package_page.js';

jest.setTimeout(limit(120_000));

describeWithTrained('susurrus-model-tiny.en', () => {
  test('is a real Whisper in a page that Vite built', async () => {
    const output = mkdtempSync(join(tmpdir(), 'susurrus-model-package-'));
    const project = installPacked();
    const browser = await launchBrowser();
    try {
      const path = await ensureTrainedModel();
      project.install(await packModel({ name: 'tiny.en', path, isOpenAis: true, output }));
      writeVitePage(
        project,
        `import { loadModel } from 'susurrus';
         import model from 'susurrus-model-tiny.en';
         import sentences from './sentences.wav?url';`,
        `const whisper = await loadModel(model);
         ({ text } = await whisper.transcribe(await (await fetch(sentences)).blob()));`,
      );
      copyFileSync(
        join(projectRoot, 'web/demo/sentences.wav'),
        join(project.folder, 'sentences.wav'),
      );
      project.node(vite, 'build', '--logLevel', 'error');
      const server = await serve({ folder: join(project.folder, 'dist'), port: 0 });
      try {
        const { text, problems } = await textOf(browser, server.address);
        expect(text).toMatch(
          /^ ?The ship left the harbor in the morning.* because the soup was very good\.$/s,
        );
        expect(problems).toEqual([]);
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
