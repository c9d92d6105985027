// whisper.cpp's files: the goldens' tokens come out of them, and blocks go over as they are.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apr2Tensors } from '../support/apr2_tensors.js';
import { blockTypes } from '../support/block_quantiser.js';
import { builtPackage, susurrus } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { ggmlFile, storedBytes, storedType, type GgmlType } from '../support/ggml_writer.js';
import { expectGoldenTokens } from '../support/golden_tokens.js';
import { goldenRanks, goldenTensors } from '../support/golden_tensors.js';
import { goldenModels } from '../support/goldens.js';
import { expectSameTensors } from '../support/same_tensors.js';
import { describeWithShared } from '../support/shared_folder.js';

describeWithShared(['golden'], 'ggml', () => {
  const root = mkdtempSync(join(tmpdir(), 'susurrus-ggml-'));
  let built: Awaited<ReturnType<typeof builtPackage>>;
  beforeAll(async () => {
    built = await builtPackage();
  });
  afterAll(() => rmSync(root, { recursive: true }));

  function write(name: string, bytes: Uint8Array): string {
    const path = join(root, name);
    writeFileSync(path, bytes);
    return path;
  }

  describe.each(goldenModels)('%s', (model) => {
    /** What comes of the model's file of this type. */
    async function converted(type: 'f32' | 'f16'): Promise<string> {
      // The name says nothing.
      const source = write(`${model}.${type}`, ggmlFile(model, type));
      const path = join(root, `${model}-${type}.apr`);
      const result = await built.convertModel(source, path, { dtype: 'f32' });
      expect(result.warnings).toEqual([]);
      return path;
    }

    test('f32 gives the goldens’ tokens', async () => {
      await expectGoldenTokens(model, await converted('f32'));
    });

    test('f16 gives the same weights and vocabulary', async () => {
      using found = await built.openModelFile(await converted('f16'));
      using expected = await built.openModelFile(join(root, `${model}-f32.apr`));
      await expectSameTensors(found, expected);
      const [some, all] = await Promise.all([found.vocabulary(), expected.vocabulary()]);
      expect(JSON.stringify(some) === JSON.stringify(all)).toBe(true);
      expect(some!.length).toBeGreaterThan(50_000);
    });
  });

  describe('blocks', () => {
    const model = 'micro';

    test.each(blockTypes)('of %s go over as they are', async (type) => {
      const source = write(`blocks.${type}`, ggmlFile(model, type));
      const path = join(root, `blocks-${type}.apr`);
      await built.convertModel(source, path, { compress: 'none' });
      const found = await apr2Tensors(path);
      for (const tensor of goldenTensors(model)) {
        const stored = storedType(tensor, type);
        const [dtype, bytes] = found.get(tensor.name)!;
        expect([tensor.name, dtype]).toEqual([tensor.name, stored]);
        expect(bytes.equals(storedBytes(tensor.values, stored))).toBe(true);
      }
      using loaded = await built.loadModel<'whisper'>(path);
      expect(loaded.info.dtypes).toContain(type);
    });

    test.each([...blockTypes])('of %s become floats by their formula', async (type) => {
      const source = write(`floats.${type}`, ggmlFile(model, type));
      const path = join(root, `floats-${type}.apr`);
      await built.convertModel(source, path, { dtype: 'f32', compress: 'none' });
      const found = await apr2Tensors(path);
      const largestStep = { q8_0: 1 / 127, q5_1: 2 / 31, q5_0: 1 / 16, q4_1: 2 / 15, q4_0: 1 / 8 };
      for (const { name, shape, values } of goldenTensors(model)) {
        if (shape.length !== 2 || name.endsWith('positional_embedding')) continue;
        const [dtype, bytes] = found.get(name)!;
        expect(dtype).toBe('f32');
        const floats = new Float32Array(new Uint8Array(bytes).buffer);
        for (let block = 0; block < values.length; block += 32) {
          let magnitude = 0;
          for (let i = block; i < block + 32; ++i) {
            magnitude = Math.max(magnitude, Math.abs(values[i]!));
          }
          const limit = largestStep[type] * magnitude * 1.01 + 1e-6;
          for (let i = block; i < block + 32; ++i) {
            const error = Math.abs(floats[i]! - values[i]!);
            if (!(error <= limit)) throw new Error(`${name} ${i}: ${error} > ${limit}`);
          }
        }
      }
    });
  });

  test('the file’s filterbank, vocabulary and format are kept', async () => {
    const source = write('kept.bin', ggmlFile('micro-en', 'f16'));
    const path = join(root, 'kept.apr');
    await built.convertModel(source, path);
    const { metadata } = await built.inspect(path);
    expect(metadata).toMatchObject({
      model_card: { source_format: 'ggml' },
      vocab: { length: 51864 },
      mel_filterbank: { length: 80 * 201 },
    });
    using model = await built.loadModel<'whisper'>(path);
    expect(await model.tokenizer.decode([15496, 995])).toBe('Hello world');
    expect(model.tokenizer.special).toMatchObject({ endOfText: 50256, timestampBegin: 50363 });
  });

  test('a filterbank that is not Whisper’s is warned of', async () => {
    const file = Buffer.from(ggmlFile('micro-en', 'f16'));
    const path = join(root, 'foreign.apr');
    const isSaid = async (): Promise<boolean> => {
      const { warnings } = await built.convertModel(write('foreign.bin', file), path, {
        force: true,
      });
      return warnings.some((warning) => warning.startsWith("the filterbank is not Whisper's"));
    };
    expect(await isSaid()).toBe(false);
    // The first weight of the first band, behind the magic, eleven numbers and the filterbank's two sizes.
    file.writeFloatLE(0.5, 4 + 44 + 8);
    expect(await isSaid()).toBe(true);
  });

  test('a damaged vocabulary is left out, and another one is taken', async () => {
    const file = Buffer.from(ggmlFile('micro', 'f16'));
    // Token 94 is the byte A1; whisper.cpp's fixtures have U+FFFD there.
    const vocabulary = 56 + 80 * 201 * 4 + 4;
    const token = vocabulary + 94 * 5;
    expect(file.readUInt32LE(token)).toBe(1);
    const damaged = Buffer.concat([
      file.subarray(0, token),
      Buffer.from([3, 0, 0, 0, 0xef, 0xbf, 0xbd]),
      file.subarray(token + 5),
    ]);
    const source = write('damaged.bin', damaged);
    const path = join(root, 'damaged.apr');
    const result = await built.convertModel(source, path);
    expect(result.warnings).toEqual([
      expect.stringMatching(/vocabulary is damaged/),
      expect.stringMatching(/--vocabulary FILE/),
    ]);
    const other = join(root, 'other.apr');
    await built.convertModel(source, other, { vocabulary: goldenRanks('micro') });
    using model = await built.loadModel<'whisper'>(other);
    expect(await model.tokenizer.decode([15947, 1002])).toBe('Hello world');
  });

  test('the command line recognises it, and shards and LZ4 work as ever', () => {
    const source = write('command.bin', ggmlFile('micro', 'q5_0' satisfies GgmlType));
    const path = join(root, 'command.apr');
    susurrus('convert', source, path, '--shard-size', '2500000');
    const whole = join(root, 'whole.apr');
    susurrus('convert', source, whole);
    expect(readFileSync(path, 'utf8')).toContain('"sharded": true');
    expect(JSON.parse(susurrus('inspect', whole, '--json'))).toMatchObject({
      metadata: { quantization: { method: 'Q5_0' } },
    });
  });

  test.each([
    [
      'cut',
      (file: Buffer) => file.subarray(0, file.length - 3),
      { code: 'truncated_input', details: { reason: 'truncated', subject: 'decoder.ln.bias' } },
      /bad cut\.bin/,
    ],
    [
      'of K-quants',
      (file: Buffer) => {
        file.writeInt32LE(2012, 44);
        return file;
      },
      {
        code: 'unsupported_feature',
        details: { reason: 'unsupported_dtype', offset: 44, subject: 'ftype', got: 'Q4_K' },
      },
      /bad of K-quants\.bin/,
    ],
    [
      'without its last tensor',
      (file: Buffer) => file.subarray(0, file.length - (12 + 4 + 15 + 256)),
      { code: 'missing_tensor', details: { reason: 'model', subject: 'decoder.ln.bias' } },
      /decoder\.ln\.bias/,
    ],
  ] as const)('a file %s is refused, and nothing is left', async (name, edit, expected, says) => {
    const source = write(`bad ${name}.bin`, edit(Buffer.from(ggmlFile('micro', 'f16'))));
    const destination = join(root, `bad ${name}.apr`);
    const error = await errorOf(built.convertModel(source, destination));
    expect(error).toMatchObject(expected);
    expect((error as Error).message).toMatch(says);
    expect(existsSync(destination)).toBe(false);
  });
});
