// What `inspect --json` says of samples that other programs wrote; tests/formats/expected has it, made by the command itself:
// susurrus inspect ../shared/golden/models/micro --json > tests/formats/expected/micro.json
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { susurrus } from '../support/built_package.js';
import { describeWithShared, projectRoot, sharedFolder } from '../support/shared_folder.js';

const samples = {
  micro: 'golden/models/micro',
  'micro-en': 'golden/models/micro-en',
  'micro-v3-turbo': 'golden/models/micro-v3-turbo',
  'ctranslate2-float16': 'golden/ctranslate2/float16',
  'ctranslate2-bfloat16': 'golden/ctranslate2/bfloat16',
  'ctranslate2-int8_float16': 'golden/ctranslate2/int8_float16',
  'digits-model': 'digits-model/model',
};

const expected = (name: string): unknown =>
  JSON.parse(readFileSync(join(projectRoot, `tests/formats/expected/${name}.json`), 'utf8'));

const inspected = (path: string): unknown => JSON.parse(susurrus('inspect', path, '--json'));

test('the model inside the package', () => {
  expect(inspected(join(projectRoot, 'models/digits.apr'))).toEqual(expected('digits.apr'));
});

describeWithShared(['golden/models', 'golden/ctranslate2'], 'Samples', () => {
  test.each(Object.entries(samples))('%s', (name, path) => {
    expect(inspected(join(sharedFolder, path))).toEqual(expected(name));
  });
});
