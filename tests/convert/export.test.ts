// Out of APR2 again: SafeTensors and ggml hold what went in, bit for bit, and other converters read them.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apr2Tensors } from '../support/apr2_tensors.js';
import { blockTypes } from '../support/block_quantiser.js';
import { builtPackage, susurrus } from '../support/built_package.js';
import {
  readGgml,
  readSafetensors,
  type GgmlFile,
  type ReadTensor,
} from '../support/checkpoint_readers.js';
import { hubTensors, safetensorsFile } from '../support/checkpoint_writers.js';
import { errorOf } from '../support/embedded_model.js';
import { ggmlFile } from '../support/ggml_writer.js';
import { expectGoldenTokens } from '../support/golden_tokens.js';
import { goldenRanks } from '../support/golden_tensors.js';
import { goldenModels, sharedJson } from '../support/goldens.js';
import { testModel } from '../support/goldens_models.js';
import { expectSameTensors } from '../support/same_tensors.js';
import { describeWithShared } from '../support/shared_folder.js';

/** Bytes are compared as such: jest would look at each of millions. */
function expectSame(found: Map<string, ReadTensor>, expected: Map<string, ReadTensor>): void {
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [name, { type, shape, bytes }] of expected) {
    const tensor = found.get(name)!;
    expect([name, tensor.type, tensor.shape]).toEqual([name, type, shape]);
    expect([name, tensor.bytes.equals(bytes)]).toEqual([name, true]);
  }
}

function expectSameGgml(found: GgmlFile, expected: GgmlFile): void {
  expect(found.header).toEqual(expected.header);
  const joined = ({ tokens }: GgmlFile) => tokens.map((token) => token.toString('hex')).join();
  expect(joined(found) === joined(expected)).toBe(true);
  expectSame(found.tensors, expected.tensors);
}

describeWithShared(['golden'], 'export', () => {
  const root = mkdtempSync(join(tmpdir(), 'susurrus-export-'));
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
    test.each(['f32', 'f16', 'bf16'] as const)('%s comes back bit for bit', async (dtype) => {
      const folder = join(root, `${model}-${dtype}`);
      const source = safetensorsFile(hubTensors(model), dtype);
      mkdirSync(folder);
      writeFileSync(join(folder, 'model.safetensors'), source);
      writeFileSync(
        join(folder, 'config.json'),
        JSON.stringify(sharedJson(`golden/models/${model}/config.json`)),
      );
      const path = join(root, `${model}-${dtype}.apr`);
      await built.convertModel(folder, path, { dtype, vocabulary: goldenRanks(model) });
      const out = join(root, `${model}-${dtype}.safetensors`);
      await built.convertModel(path, out, { format: 'safetensors', dtype });
      expectSame(readSafetensors(readFileSync(out)), readSafetensors(Buffer.from(source)));
    });

    // What whisper.cpp's file of these weights gives is in convert/ggml.
    test('through ggml goes whisper.cpp’s file, and the weights stay', async () => {
      const file = join(root, `${model}.bin`);
      const result = await built.convertModel(await testModel(model), file, { format: 'ggml' });
      expect(result.tensors.every(({ relativeError }) => relativeError === 0)).toBe(true);
      expectSameGgml(readGgml(readFileSync(file)), readGgml(Buffer.from(ggmlFile(model, 'f32'))));
      const again = join(root, `${model}-ggml.apr`);
      await built.convertModel(file, again, { dtype: 'f32' });
      using found = await built.openModelFile(again);
      using first = await built.openModelFile(await testModel(model));
      await expectSameTensors(found, first);
    });

    test('through a folder of the hub the goldens’ tokens stay', async () => {
      const folder = join(root, `${model}-hub`);
      const result = await built.convertModel(await testModel(model), folder, {
        format: 'safetensors',
      });
      expect(result.files).toEqual([
        ...['model.safetensors', 'config.json', 'generation_config.json'],
        ...['preprocessor_config.json', 'tokenizer.json', 'tokenizer_config.json'],
        ...['vocab.json', 'merges.txt'],
      ]);
      const again = join(root, `${model}-hub.apr`);
      const back = await built.convertModel(folder, again, { dtype: 'f32' });
      expect(back.warnings).toEqual([]);
      await expectGoldenTokens(model, again);
      // The vocabulary, and what decoding is told, are those of the golden's own files.
      using first = await built.loadModel<'whisper'>(await testModel(model));
      using second = await built.loadModel<'whisper'>(again);
      for (const text of ['Hello, world', ' naïve 你好']) {
        expect(await second.tokenizer.encode(text)).toEqual(await first.tokenizer.encode(text));
      }
      const heads = async (path: string) => (await built.inspect(path)).metadata.alignment_heads;
      expect(await heads(again)).toEqual(await heads(await testModel(model)));
    });
  });

  describe('blocks', () => {
    test.each(blockTypes)('of %s go to ggml and back as they are', async (type) => {
      const source = ggmlFile('micro', type);
      const path = join(root, `blocks-${type}.apr`);
      await built.convertModel(write(`blocks.${type}`, source), path);
      const out = join(root, `blocks-${type}.bin`);
      await built.convertModel(path, out, { format: 'ggml' });
      expectSameGgml(readGgml(readFileSync(out)), readGgml(Buffer.from(source)));
    });

    test('go to SafeTensors only as floats that are asked for', async () => {
      const source = write('refused.bin', ggmlFile('micro', 'q5_1'));
      const out = join(root, 'refused.safetensors');
      const error = await errorOf(built.convertModel(source, out, { format: 'safetensors' }));
      expect(error).toMatchObject({
        code: 'invalid_argument',
        details: {
          reason: 'option',
          subject: 'dtype',
          expected: 'f32, f16 or bf16, since SafeTensors has no blocks',
          got: 'q5_1',
        },
      });
      expect(existsSync(out)).toBe(false);
      await built.convertModel(source, out, { format: 'safetensors', dtype: 'f16' });
      const types = [...readSafetensors(readFileSync(out)).values()].map(({ type }) => type);
      expect(new Set(types)).toEqual(new Set(['F16']));
    });
  });

  test('what ggml has no type for is refused', async () => {
    const error = await errorOf(
      built.convertModel(await testModel('micro'), join(root, 'no.bin'), {
        format: 'ggml',
        dtype: 'bf16',
      }),
    );
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'dtype' } });
  });

  describe('APR2 to APR2', () => {
    test('blocks of the wanted type are copied, others made', async () => {
      const blocks = join(root, 'q5_1.apr');
      await built.convertModel(write('q5_1.bin', ggmlFile('micro', 'q5_1')), blocks, {
        compress: 'none',
      });
      const copy = join(root, 'q5_1-copy.apr');
      const same = await built.convertModel(blocks, copy, { dtype: 'q5_1', compress: 'none' });
      expect(same.tensors.every(({ relativeError }) => relativeError === 0)).toBe(true);
      const [found, expected] = [await apr2Tensors(copy), await apr2Tensors(blocks)];
      expect([...found.keys()]).toEqual([...expected.keys()]);
      for (const [name, [dtype, bytes]] of expected) {
        const [foundType, foundBytes] = found.get(name)!;
        expect([name, foundType, foundBytes.equals(bytes)]).toEqual([name, dtype, true]);
      }
      const fresh = join(root, 'q8_0.apr');
      const made = await built.convertModel(await testModel('micro'), fresh, { dtype: 'q8_0' });
      const embedding = made.tensors.find(({ name }) => name === 'decoder.token_embedding.weight')!;
      expect(embedding.dtype).toBe('q8_0');
      expect(embedding.relativeError).toBeGreaterThan(0.001);
      expect(embedding.relativeError).toBeLessThan(0.01);
    });

    test('metadata go over whole, from one file, from shards and into shards', async () => {
      const source = await testModel('micro');
      const metadataOf = async (path: string) => (await built.inspect(path)).metadata;
      const { quantization, ...before } = await metadataOf(source);
      expect(quantization).toBeUndefined();
      const manifest = join(root, 'parts.apr');
      const parts = await built.convertModel(source, manifest, {
        dtype: 'q8_0',
        shardSize: 3_600_000,
      });
      expect(parts.files!.length).toBeGreaterThan(2);
      const { quantization: stated, ...sharded } = await metadataOf(manifest);
      expect(stated).toEqual({ method: 'Q8_0', bits_per_weight: 8.5 });
      expect(sharded).toEqual(before);
      const one = join(root, 'one.apr');
      await built.convertModel(manifest, one, { compress: 'none' });
      const direct = join(root, 'direct.apr');
      await built.convertModel(source, direct, { dtype: 'q8_0', compress: 'none' });
      expect(readFileSync(one).equals(readFileSync(direct))).toBe(true);
    });
  });

  test('a stream gets the bytes that a file gets', async () => {
    const path = join(root, 'stream.apr');
    await built.convertModel(await testModel('micro'), path, { dtype: 'q4_0' });
    const chunks: Uint8Array[] = [];
    const sink = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
    await built.convertModel(new Blob([readFileSync(await testModel('micro'))]), sink, {
      dtype: 'q4_0',
    });
    expect(Buffer.concat(chunks).equals(readFileSync(path))).toBe(true);
  });

  test('the command line exports, and tells what was lost', async () => {
    const source = await testModel('micro-en');
    const out = join(root, 'command.bin');
    const report = JSON.parse(
      susurrus('convert', source, out, '--format', 'ggml', '--dtype', 'q5_0', '--json'),
    ) as { tensors: { name: string; dtype: string; relativeError: number }[] };
    expect(readGgml(readFileSync(out)).header.at(-1)).toBe(2008);
    const errors = report.tensors.filter(({ dtype }) => dtype === 'q5_0');
    expect(errors.length).toBeGreaterThan(10);
    for (const { relativeError } of errors) {
      expect(relativeError).toBeGreaterThan(0.01);
      expect(relativeError).toBeLessThan(0.1);
    }
  });
});
