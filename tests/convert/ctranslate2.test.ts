// Folders that the library ctranslate2 itself wrote from a golden model.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { apr2Tensors } from '../support/apr2_tensors.js';
import { builtPackage, susurrus } from '../support/built_package.js';
import { ctranslate2Name, ctranslate2Variables } from '../support/ctranslate2_file.js';
import { errorOf } from '../support/embedded_model.js';
import { expectGoldenTokens } from '../support/golden_tokens.js';
import { goldenTensors } from '../support/golden_tensors.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

describeWithShared(['golden/ctranslate2'], 'CTranslate2', () => {
  const model = 'micro-en';
  const root = mkdtempSync(join(tmpdir(), 'susurrus-ctranslate2-'));
  const folderOf = (type: string): string => join(sharedFolder, 'golden/ctranslate2', type);
  let built: Awaited<ReturnType<typeof builtPackage>>;
  beforeAll(async () => {
    built = await builtPackage();
  });
  afterAll(() => rmSync(root, { recursive: true }));

  function copyFolder(folder: string, files: readonly string[]): void {
    mkdirSync(folder);
    for (const file of files) copyFileSync(join(folderOf('float16'), file), join(folder, file));
  }

  test('float16 gives the golden’s tensors bit for bit, and its tokens', async () => {
    const path = join(root, 'float16.apr');
    const result = await built.convertModel(folderOf('float16'), path, {
      dtype: 'f32',
      compress: 'none',
    });
    expect(result.warnings).toEqual([]);
    const found = await apr2Tensors(path);
    const goldens = goldenTensors(model);
    expect(found.size).toBe(goldens.length);
    for (const { name, values } of goldens) {
      const [dtype, bytes] = found.get(name)!;
      expect([name, dtype]).toEqual([name, 'f32']);
      expect(bytes.equals(Buffer.from(values.buffer))).toBe(true);
    }
    await expectGoldenTokens(model, path);
  });

  test('a folder that was picked is planned as it is loaded', async () => {
    const files = readdirSync(folderOf('float16')).map(
      (name) => new File([new Uint8Array(readFileSync(join(folderOf('float16'), name)))], name),
    );
    const plan = await built.plan(files);
    using loaded = await built.loadModel<'whisper'>(files);
    const { weightBytes, kvCacheBytes, activationBytes } = await loaded.memory();
    expect(plan).toMatchObject({ weightBytes, kvCacheBytes, activationBytes, fetchBytes: 0 });
    expect(plan.dims).toEqual(loaded.info.dims);
  });

  test.each(['bfloat16', 'int8_float16'])('%s gives the values of its rule', async (type) => {
    const path = join(root, `${type}.apr`);
    await built.convertModel(folderOf(type), path, { dtype: 'f32', compress: 'none' });
    const found = await apr2Tensors(path);
    const variables = ctranslate2Variables(readFileSync(join(folderOf(type), 'model.bin')));
    for (const golden of goldenTensors(model)) {
      const [name, part, parts] = ctranslate2Name(golden.name);
      const { values, shape } = variables.get(name)!;
      const scales = variables.get(`${name}_scale`)?.values;
      expect(scales !== undefined).toBe(
        type.startsWith('int8') && golden.shape.length > 1 && !name.endsWith('encodings'),
      );
      const rows = shape[0]! / parts;
      const width = values.length / shape[0]!;
      const expected = Float32Array.from({ length: rows * width }, (_, i) => {
        const value = values[part * rows * width + i]!;
        return scales ? value / scales[part * rows + Math.floor(i / width)]! : value;
      });
      const [, bytes] = found.get(golden.name)!;
      expect([golden.name, bytes.equals(Buffer.from(expected.buffer))]).toEqual([
        golden.name,
        true,
      ]);
    }
  });

  test('the folder’s lists are kept', async () => {
    const path = join(root, 'lists.apr');
    susurrus('convert', folderOf('float16'), path);
    const { metadata } = await built.inspect(path);
    expect(metadata).toMatchObject({
      architecture: { n_vocab: 51864, n_audio_head: 1, n_text_head: 1, n_text_layer: 3 },
      model_card: { source_format: 'CTranslate2' },
      alignment_heads: [
        [1, 0],
        [2, 0],
      ],
      vocab: { length: 51864 },
      tokenizer_config: {
        suppress_tokens: { length: 89 },
        begin_suppress_tokens: [220, 50256],
      },
    });
    using loaded = await built.loadModel<'whisper'>(path);
    expect(await loaded.tokenizer.decode([15496, 995])).toBe('Hello world');
  });

  test('empty lists are none, and vocabulary.txt without timestamps is enough', async () => {
    const folder = join(root, 'plain');
    copyFolder(folder, ['model.bin']);
    const tokens = JSON.parse(
      readFileSync(join(folderOf('float16'), 'vocabulary.json'), 'utf8'),
    ) as string[];
    const ordinary = tokens.slice(0, tokens.indexOf('<|0.00|>'));
    writeFileSync(join(folder, 'vocabulary.txt'), `${ordinary.join('\n')}\n`);
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ suppress_ids: [], suppress_ids_begin: [], lang_ids: [] }),
    );
    const path = join(root, 'plain.apr');
    await built.convertModel(folder, path);
    const { metadata } = await built.inspect(path);
    expect(metadata.tokenizer_config).toEqual({
      vocab_encoding: 'gpt2-bytes',
      is_multilingual: false,
    });
    using loaded = await built.loadModel<'whisper'>(path);
    expect(loaded.tokenizer.special).toMatchObject({ endOfText: 50256, timestampBegin: 50363 });
  });

  test('an older version and a cut file are refused', async () => {
    const folder = join(root, 'bad');
    copyFolder(folder, ['config.json', 'vocabulary.json']);
    const file = readFileSync(join(folderOf('float16'), 'model.bin'));
    const refuse = async (bytes: Uint8Array, code: string, reason: string, offset: number) => {
      writeFileSync(join(folder, 'model.bin'), bytes);
      const error = await errorOf(built.convertModel(folder, join(root, 'bad.apr')));
      expect(error).toMatchObject({ code, details: { reason, offset } });
    };
    const older = Buffer.from(file);
    older.writeUInt32LE(5, 0);
    await refuse(older, 'unsupported_version', 'version', 0);
    await refuse(
      file.subarray(0, file.length - 1),
      'truncated_input',
      'truncated',
      file.length - 26,
    );
  });
});
