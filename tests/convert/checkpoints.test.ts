// SafeTensors by all families of names, and GGUF: the goldens' tokens come out of each.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apr2Tensors } from '../support/apr2_tensors.js';
import { builtPackage, susurrus } from '../support/built_package.js';
import {
  ggufFile,
  halfSafetensors,
  hubTensors,
  mlxTensors,
} from '../support/checkpoint_writers.js';
import { errorOf } from '../support/embedded_model.js';
import { expectGoldenTokens } from '../support/golden_tokens.js';
import { storedBytes, storedType } from '../support/ggml_writer.js';
import {
  goldenDims,
  goldenRanks,
  goldenTensors,
  type GoldenTensor,
} from '../support/golden_tensors.js';
import { sharedJson } from '../support/goldens.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';

describeWithShared(['golden'], 'checkpoints', () => {
  const model = 'micro';
  const root = mkdtempSync(join(tmpdir(), 'susurrus-checkpoints-'));
  const config = sharedJson(`golden/models/${model}/config.json`);
  const vocabulary = goldenRanks(model);
  let built: Awaited<ReturnType<typeof builtPackage>>;
  beforeAll(async () => {
    built = await builtPackage();
  });
  afterAll(() => rmSync(root, { recursive: true }));

  function folderWith(name: string, files: Readonly<Record<string, unknown>>): string {
    const folder = join(root, name);
    mkdirSync(folder);
    for (const [file, content] of Object.entries(files)) {
      const isBytes = content instanceof Uint8Array;
      writeFileSync(join(folder, file), isBytes ? content : JSON.stringify(content));
    }
    return folder;
  }

  /** Every tensor is the golden's, bit for bit. */
  async function expectGoldenTensors(path: string): Promise<void> {
    const found = await apr2Tensors(path);
    for (const { name, values } of goldenTensors(model)) {
      const [dtype, bytes] = found.get(name)!;
      expect([name, dtype, bytes.equals(Buffer.from(values.buffer))]).toEqual([name, 'f32', true]);
    }
  }

  const options = { dtype: 'f32', compress: 'none', vocabulary } as const;

  describe('SafeTensors', () => {
    const parts = (tensors: readonly GoldenTensor[], variant = '') => {
      const names = [1, 2].map((i) => `model${variant}-0000${i}-of-00002.safetensors`);
      const half = tensors.length >> 1;
      const lists = [tensors.slice(0, half), tensors.slice(half)];
      const map = lists.flatMap((list, i) => list.map(({ name }) => [name, names[i]] as const));
      return {
        [`model.safetensors.index${variant}.json`]: { weight_map: Object.fromEntries(map) },
        ...Object.fromEntries(lists.map((list, i) => [names[i]!, halfSafetensors(list)])),
      };
    };

    test('of the hub’s names in parts', async () => {
      const folder = folderWith('hub', { 'config.json': config, ...parts(hubTensors(model)) });
      const path = join(root, 'hub.apr');
      await built.convertModel(folder, path, options);
      await expectGoldenTensors(path);
      await expectGoldenTokens(model, path);
      // The index may be named itself.
      const again = join(root, 'hub-again.apr');
      await built.convertModel(join(folder, 'model.safetensors.index.json'), again, options);
      await expectGoldenTensors(again);
    });

    test('of a precision that the names tell', async () => {
      const folder = folderWith('fp32', {
        'config.json': config,
        ...parts(hubTensors(model), '.fp32'),
      });
      const path = join(root, 'fp32.apr');
      await built.convertModel(folder, path, options);
      await expectGoldenTensors(path);
    });

    test('of MLX’s names, whose convolutions lie the other way', async () => {
      const files = {
        'config.json': { ...goldenDims(model), model_type: 'whisper' },
        'weights.safetensors': halfSafetensors(mlxTensors(model)),
      };
      const path = join(root, 'mlx.apr');
      await built.convertModel(folderWith('mlx', files), path, options);
      await expectGoldenTensors(path);
      await expectGoldenTokens(model, path);
      const positions = (tensors: GoldenTensor[]) =>
        tensors.filter(({ name }) => name !== 'encoder.positional_embedding');
      const bare = {
        ...files,
        'weights.safetensors': halfSafetensors(positions(mlxTensors(model))),
      };
      const result = await built.convertModel(folderWith('mlx-bare', bare), join(root, 'bare.apr'));
      expect(result.warnings).toEqual(
        expect.arrayContaining([expect.stringMatching(/positional_embedding is absent/)]),
      );
    });

    test('of OpenAI’s names in one file, with the config.json that is named', async () => {
      const folder = folderWith('single', {
        'anything.bin': halfSafetensors(goldenTensors(model)),
        'elsewhere.json': config,
      });
      const source = join(folder, 'anything.bin');
      const path = join(root, 'single.apr');
      const error = await errorOf(built.convertModel(source, path));
      expect(error).toMatchObject({ code: 'source_failed' });
      expect((error as Error).message).toContain('--metadata');
      const metadata = join(folder, 'elsewhere.json');
      susurrus(
        'convert',
        source,
        path,
        '--metadata',
        metadata,
        '--dtype',
        'f32',
        '--compress',
        'none',
      );
      await expectGoldenTensors(path);
      await built.convertModel(source, path, {
        ...{ ...options, force: true },
        metadata: new TextEncoder().encode(JSON.stringify(config)),
      });
      await expectGoldenTensors(path);
    });

    test('of two families is refused', async () => {
      const hub = hubTensors(model);
      const mixed = goldenTensors(model).map((tensor, i) =>
        tensor.name === 'decoder.blocks.1.mlp.2.bias' ? hub[i]! : tensor,
      );
      const folder = folderWith('mixed', {
        'config.json': config,
        'model.safetensors': halfSafetensors(mixed),
      });
      expect(await errorOf(built.convertModel(folder, join(root, 'mixed.apr')))).toMatchObject({
        code: 'malformed',
        details: { reason: 'contradiction', subject: 'model.decoder.layers.1.fc2.bias' },
      });
    });
  });

  describe('GGUF', () => {
    test.each(['openai', 'hub'] as const)(
      'of %s names gives the goldens’ tokens',
      async (names) => {
        const folder = folderWith(`gguf-${names}`, {
          'model.gguf': ggufFile(model, { type: 'f16', names }),
        });
        const path = join(root, `gguf-${names}.apr`);
        const result = await built.convertModel(join(folder, 'model.gguf'), path, {
          dtype: 'f32',
          compress: 'none',
        });
        expect(result.warnings).toEqual([]);
        await expectGoldenTensors(path);
        await expectGoldenTokens(model, path);
      },
    );

    test('without keys gives the same tensors; blocks go over as they are', async () => {
      const turbo = 'micro-v3-turbo';
      const folder = folderWith('gguf-bare', {
        'model.gguf': ggufFile(turbo, { type: 'q8_0', names: 'hub', isBare: true }),
      });
      const path = join(root, 'gguf-bare.apr');
      const result = await built.convertModel(join(folder, 'model.gguf'), path, {
        compress: 'none',
        vocabulary: join(sharedFolder, 'golden/tokenizer/multilingual.tiktoken'),
      });
      expect(result.warnings).toEqual([expect.stringMatching(/quantization_version is absent/)]);
      const found = await apr2Tensors(path);
      for (const tensor of goldenTensors(turbo)) {
        const stored = storedType(tensor, 'q8_0');
        const [dtype, bytes] = found.get(tensor.name)!;
        expect([tensor.name, dtype]).toEqual([tensor.name, stored]);
        expect(bytes.equals(storedBytes(tensor.values, stored))).toBe(true);
      }
      using loaded = await built.loadModel<'whisper'>(path);
      expect(loaded.info.dims).toMatchObject({ nAudioHead: 1, nTextHead: 1, nMels: 128 });
    });

    test('has no use for a config.json', async () => {
      const folder = folderWith('gguf-config', {
        'model.gguf': ggufFile(model, { type: 'q4_0', names: 'openai' }),
      });
      const source = join(folder, 'model.gguf');
      const error = await errorOf(
        built.convertModel(source, join(root, 'none.apr'), { metadata: new Uint8Array(2) }),
      );
      expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'metadata' } });
    });
  });
});
