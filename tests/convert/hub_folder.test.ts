import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readRanks, writeHubVocabulary } from '../../scripts/hub_vocabulary.mjs';
import { builtPackage, susurrus } from '../support/built_package.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

const shared = (path: string) => join(sharedFolder, path);

/** Golden model, its rank file, and which of the hub's vocabulary files the folder has. */
const cases = [
  {
    model: 'micro',
    ranks: 'multilingual',
    files: ['vocab.json', 'merges.txt', 'added_tokens.json'],
  },
  // What README.md tells people to download.
  { model: 'micro', ranks: 'multilingual', files: ['vocab.json'] },
  { model: 'micro', ranks: 'multilingual', files: ['tokenizer.json'] },
  {
    model: 'micro',
    ranks: 'multilingual',
    files: ['vocab.json', 'merges.txt', 'added_tokens.json', 'tokenizer.json'],
  },
  { model: 'micro-en', ranks: 'gpt2', files: ['vocab.json', 'merges.txt', 'added_tokens.json'] },
  { model: 'micro-en', ranks: 'gpt2', files: ['tokenizer.json'] },
] as const;

const texts = [
  'Hello world',
  " It's 10 o'clock, isn't it?",
  'Grüße, ça va, 你好, こんにちは',
  '  two  spaces\nand a line\t',
  '<|endoftext|> is text here',
  '♪ 🎵 naïve',
];

describeWithShared(
  ['golden/models/micro', 'golden/tokenizer/multilingual.tiktoken', 'golden/audio/jfk.wav'],
  'a folder as the Hugging Face hub has it',
  () => {
    const root = mkdtempSync(join(tmpdir(), 'susurrus-hub-'));
    const direct = (model: string) => join(root, `${model}-direct.apr`);

    beforeAll(() => {
      for (const [model, ranks] of [
        ['micro', 'multilingual'],
        ['micro-en', 'gpt2'],
      ] as const) {
        const vocabulary = shared(`golden/tokenizer/${ranks}.tiktoken`);
        const options = ['--dtype', 'f32', '--vocabulary', vocabulary];
        susurrus('convert', shared(`golden/models/${model}`), direct(model), ...options);
      }
    });
    afterAll(() => {
      rmSync(root, { recursive: true });
    });

    test.each(cases)(
      'converts $model with $files to the same model',
      async ({ model, ranks, files }) => {
        const vocabularyFolder = mkdtempSync(join(root, 'vocabulary-'));
        writeHubVocabulary(
          vocabularyFolder,
          readRanks(shared(`golden/tokenizer/${ranks}.tiktoken`)),
          99,
        );
        const folder = mkdtempSync(join(root, 'hub-'));
        mkdirSync(folder, { recursive: true });
        for (const name of files) copyFileSync(join(vocabularyFolder, name), join(folder, name));
        for (const name of ['config.json', 'generation_config.json', 'model.safetensors']) {
          copyFileSync(shared(`golden/models/${model}/${name}`), join(folder, name));
        }
        const converted = join(folder, 'model.apr');
        susurrus('convert', folder, converted, '--dtype', 'f32');

        const { loadModel } = await builtPackage();
        const fromHub = await loadModel<'whisper'>(converted);
        const fromRanks = await loadModel<'whisper'>(direct(model));
        try {
          expect(fromHub.info).toEqual(fromRanks.info);
          expect(fromHub.tokenizer.special).toEqual(fromRanks.tokenizer.special);
          for (const text of texts) {
            const tokens = await fromHub.tokenizer.encode(text);
            expect(tokens).toEqual(await fromRanks.tokenizer.encode(text));
            expect(await fromHub.tokenizer.decode(tokens)).toBe(text);
          }
          const sound = readFileSync(shared('golden/audio/jfk.wav'));
          const options = { language: 'en' };
          const heard = await fromHub.decode(sound, options);
          expect(heard.tokens.length).toBeGreaterThan(3);
          expect(heard).toEqual(await fromRanks.decode(sound, options));
        } finally {
          fromHub.dispose();
          fromRanks.dispose();
        }
      },
    );
  },
);
