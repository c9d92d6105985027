// The table of sizes in docs/models.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { pageWith } from '../../scripts/evaluate/update_page.mjs';
import { documentPath, modelBytes, sizeTable } from '../../scripts/model_sizes.mjs';
import { builtPackage } from '../support/built_package.js';
import { modelBytes as digits } from '../support/embedded_model.js';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';

jest.setTimeout(limit(120_000));

test('the table is what the models’ dimensions give', async () => {
  const text = readFileSync(join(projectRoot, documentPath), 'utf8');
  const table = await sizeTable();
  expect(await pageWith({ 'model sizes': table }, documentPath)).toBe(text);
  expect(table).toMatch(/^\| tiny, tiny\.en \| 99; 1 \| \d+ \/ \d+ \|/m);
  const wrong = table.replace('tiny.en', 'huge.en');
  expect(await pageWith({ 'model sizes': wrong }, documentPath)).not.toBe(text);
});

test('of the digits model the same figures come out as of its file', async () => {
  const { dims, memory } = await (await builtPackage()).inspect(new Blob([digits().slice()]));
  expect(await modelBytes(dims!, 'f16')).toEqual({
    weights: memory!.weights,
    memory: memory!.total,
  });
});
