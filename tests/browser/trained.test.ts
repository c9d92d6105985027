// Trained weights on the demo page: a checkpoint's files and recordings, as a person gives them.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { words } from '../../scripts/evaluate/word_errors.mjs';
import { sharedJson } from '../support/goldens.js';
import { limit } from '../support/limits.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import { describeWithTrained } from '../support/trained_model.js';
import { segmentTexts, settled, startStage, worked, type Stage } from './browser_page.js';

jest.setTimeout(limit(120_000));

describeWithTrained('tiny.en on the page', (folder) => {
  describeWithShared(['trained', 'recordings'], 'with real recordings', () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await startStage();
    });
    afterAll(async () => {
      await stage.close();
    });

    test('is converted from its folder, and hears what the reference hears', async () => {
      const { page, problems } = await stage.open();
      const files = ['model.bin', 'config.json', 'tokenizer.json', 'vocabulary.txt'];
      await page.setInputFiles(
        '#file',
        files.map((name) => join(folder, name)),
      );
      // The type that is recommended.
      await worked(page, () => page.click('#conversion_start'));
      await settled(page);
      const expected = sharedJson('trained/expected/tiny.en.json') as Record<
        string,
        { readonly text: string }
      >;
      for (const name of ['austen_0870.wav', 'goforward.wav', 'jfk.wav']) {
        await worked(page, () =>
          page.setInputFiles('#file', join(sharedFolder, 'recordings/audio', name)),
        );
        // Rounded weights may change where segments and sentences end.
        const heard = words((await segmentTexts(page)).join(' '));
        expect([name, heard]).toEqual([name, words(expected[name]!.text)]);
      }
      expect(problems).toEqual([]);
    });
  });
});
