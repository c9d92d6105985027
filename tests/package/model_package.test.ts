// Packages of one model, as scripts/pack_model.mjs makes them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { findModel } from '../../scripts/find_model.mjs';
import { packModel } from '../../scripts/pack_model.mjs';
import { limit } from '../support/limits.js';
import { installPacked } from '../support/packed_package.js';
import { projectRoot } from '../support/shared_folder.js';

jest.setTimeout(limit(120_000));

const digits = join(projectRoot, 'models/digits.apr');
const license = join(projectRoot, 'LICENSE');

describe('a package of a model', () => {
  const output = mkdtempSync(join(tmpdir(), 'susurrus-model-package-'));
  afterAll(() => rmSync(output, { recursive: true }));

  test('holds the model, types, README and licence, and is loaded by its name', async () => {
    const folder = await packModel({ name: 'my.digits', path: digits, license, output });
    const project = installPacked();
    try {
      const files = project.install(folder);
      expect(files.sort()).toEqual([
        ...['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'my.digits.apr', 'package.json'],
      ]);
      const installed = join(project.folder, 'node_modules/susurrus-model-my.digits');
      expect(readFileSync(join(installed, 'my.digits.apr')).equals(readFileSync(digits))).toBe(
        true,
      );
      expect(readFileSync(join(installed, 'LICENSE'))).toEqual(readFileSync(license));
      const digest = createHash('sha256').update(readFileSync(digits)).digest('hex');
      expect(readFileSync(join(installed, 'README.md'), 'utf8')).toContain(
        `| ${statSync(digits).size} | f16, f32 | \`${digest}\` |`,
      );
      project.write(
        'program.js',
        `import { readFileSync } from 'node:fs';
         import { loadModel } from 'susurrus';
         import model from 'susurrus-model-my.digits';
         const whisper = await loadModel(model);
         const { text } = await whisper.transcribe(readFileSync(process.argv[2]));
         console.log(text.trim());`,
      );
      const said = project.node('program.js', join(projectRoot, 'web/demo/sample.wav'));
      expect(said.trim()).toBe('three one four one five nine two six five');
    } finally {
      project.remove();
    }
  });

  test('of the speaker networks has both licences', async () => {
    // Any file: the name alone says which weights they are.
    const folder = await packModel({ name: 'speakers', path: digits, output });
    const licence = readFileSync(join(folder, 'LICENSE'), 'utf8');
    expect(licence).toMatch(
      /Copyright \(c\) 2020 CNRS[^]*3D-Speaker[^]*Apache License\s+Version 2\.0/,
    );
    expect(licence).toContain('limitations under the License.');
    expect(licence).not.toContain('LZ4');
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(readme).toContain('transcribe(file, { speakers: { model: networks } })');
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      ...{ name: 'susurrus-model-speakers', license: '(MIT AND Apache-2.0)' },
      description: 'The networks that tell speakers apart for susurrus.',
    });
  });

  test('is not made without a licence, under a wrong name, or of another file', async () => {
    const model = { name: 'mine', path: digits, license, output };
    await expect(packModel({ ...model, license: undefined })).rejects.toThrow(/--license FILE/);
    await expect(packModel({ ...model, license: join(output, 'none') })).rejects.toThrow(
      /--license: there is no file/,
    );
    await expect(packModel({ ...model, name: 'My Model' })).rejects.toThrow(
      /cannot be called susurrus-model-My Model/,
    );
    const damaged = join(output, 'damaged.apr');
    writeFileSync(damaged, readFileSync(digits).subarray(0, 1000));
    await expect(packModel({ ...model, path: damaged })).rejects.toMatchObject({
      code: 'truncated_input',
    });
    expect(existsSync(join(output, 'susurrus-model-mine'))).toBe(false);
  });

  test('of OpenAI’s own weights has their licence', async () => {
    const folder = await packModel({ name: 'tiny.en', path: digits, isOpenAis: true, output });
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toMatch(
      /^MIT License\s+Copyright \(c\) 2022 OpenAI\s+Permission is hereby granted/,
    );
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'susurrus-model-tiny.en', license: 'MIT' });
  });

  test('of a file that is named like OpenAI’s weights needs the licence to be named', async () => {
    const path = join(output, 'tiny.en.apr');
    copyFileSync(digits, path);
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(projectRoot, 'scripts/pack_model.mjs'), path, '--output', join(output, 'packed')],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([
      1,
      `\nThe licence of the weights in ${path} is not known here.\n` +
        'Name the file with its text: --license FILE\n',
    ]);
    expect(existsSync(join(output, 'packed'))).toBe(false);
    await expect(packModel({ ...(await findModel(path)), output })).rejects.toThrow(
      /--license FILE/,
    );
  });
});
