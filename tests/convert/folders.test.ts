// What a folder says, and what the converted file then holds.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ConvertOptions } from '../../web/src/node_files.js';
import type { Progress } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import {
  safetensors,
  tinyConfig,
  tinyTensors,
  tinyVocabulary,
  writeHubFolder,
} from '../support/hub_folder.js';
import { tinyDims } from '../support/tiny_whisper.js';
import { expectOneBar } from '../support/one_bar.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
const root = mkdtempSync(join(tmpdir(), 'susurrus-folders-'));
beforeAll(async () => {
  susurrus = await builtPackage();
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

type Files = Readonly<Record<string, unknown>>;

async function convert(files: Files = {}, options: ConvertOptions = {}) {
  const folder = writeHubFolder(mkdtempSync(join(root, 'hub-')), files);
  const path = join(folder, 'model.apr');
  const result = await susurrus.convertModel(folder, path, options);
  return { path, result, facts: await susurrus.inspect(path) };
}

async function errorOfConvert(files: Files, options: ConvertOptions = {}) {
  const folder = writeHubFolder(mkdtempSync(join(root, 'bad-')), files);
  const path = join(folder, 'model.apr');
  const error = await errorOf(susurrus.convertModel(folder, path, options));
  expect(existsSync(path)).toBe(false);
  return error;
}

describe('metadata', () => {
  test('hold architecture, filterbank and vocabulary, and nothing that was not said', async () => {
    const { facts, result, path } = await convert();
    expect(facts.metadata).toEqual({
      apr_version: '2.0.0',
      model_type: 'whisper',
      architecture: tinyDims,
      tokenizer_config: { vocab_encoding: 'gpt2-bytes' },
      model_card: { source_format: 'SafeTensors' },
      // The type without any option.
      quantization: { method: 'Q8_0', bits_per_weight: 8.5 },
      mel_filterbank_shape: [80, 201],
      mel_filterbank: { length: 80 * 201 },
      vocab: { length: 58 },
    });
    expect(facts.tensors.map(({ name }) => name).sort()).toEqual(
      tinyTensors.map(([name]) => name).sort(),
    );
    expect(result).toEqual({
      byteCount: readFileSync(path).length,
      tensorCount: tinyTensors.length,
      // Values of few bits lose none outside blocks.
      tensors: facts.tensors.map(({ name, dtype }) => ({
        ...{ name, dtype },
        relativeError: dtype === 'q8_0' ? (expect.closeTo(0, 2) as unknown) : 0,
      })),
      warnings: [],
    });
  });

  test.each([
    ['openai/whisper-tiny.en', 'openai/whisper-tiny.en'],
    ['/home/somebody/whisper', undefined],
    ['../whisper', undefined],
    [5, undefined],
  ])('the card has the name %s: %s', async (given, name) => {
    const { facts } = await convert({ 'config.json': { ...tinyConfig, _name_or_path: given } });
    expect(facts.metadata.model_card).toEqual({ name, source_format: 'SafeTensors' });
  });

  test('take lists from generation_config.json, then config.json', async () => {
    const { facts, result } = await convert({
      'config.json': { ...tinyConfig, suppress_tokens: [1], begin_suppress_tokens: [2] },
      'generation_config.json': {
        is_multilingual: false,
        suppress_tokens: [3, 4, 5000],
        max_initial_timestamp_index: 7,
        alignment_heads: [
          [0, 1],
          [0, 2],
          [1, 0],
        ],
      },
    });
    expect(facts.metadata.tokenizer_config).toEqual({
      vocab_encoding: 'gpt2-bytes',
      is_multilingual: false,
      suppress_tokens: [3, 4],
      begin_suppress_tokens: [2],
      max_initial_timestamp_index: 7,
    });
    // One layer with two heads: the others came from a larger model.
    expect(facts.metadata.alignment_heads).toEqual([[0, 1]]);
    expect(result.warnings).toEqual([
      'alignment_heads: 2 of 3 are not in the model and are dropped',
    ]);
  });

  test('tell an empty list from none', async () => {
    const { facts } = await convert({
      'generation_config.json': { suppress_tokens: [], begin_suppress_tokens: null },
    });
    expect(facts.metadata.tokenizer_config).toEqual({
      vocab_encoding: 'gpt2-bytes',
      suppress_tokens: [],
    });
  });

  test('keep a filterbank that the folder has, either way round', async () => {
    const rows = Array.from({ length: 80 }, (_, mel) =>
      Array.from({ length: 201 }, (_, bin) => (mel === bin ? 0.5 : 0)),
    );
    const columns = Array.from({ length: 201 }, (_, bin) =>
      Array.from({ length: 80 }, (_, mel) => (mel === bin ? 0.5 : 0)),
    );
    const files = await Promise.all(
      [rows, columns].map((filters) =>
        convert({ 'preprocessor_config.json': { mel_filters: filters } }),
      ),
    );
    const [byRows, byColumns] = files.map(({ path }) => readFileSync(path));
    expect(byRows!.equals(byColumns!)).toBe(true);
    expect(byRows!.includes(',0.5,')).toBe(true);
    const foreign = expect.stringMatching(
      /^the filterbank is not Whisper's, .*--filterbank whisper/,
    );
    expect(files[0]!.result.warnings).toContainEqual(foreign);
    const chosen = { 'preprocessor_config.json': { mel_filters: rows } };
    for (const filterbank of ['whisper', 'embedded'] as const) {
      expect((await convert(chosen, { filterbank })).result.warnings).not.toContainEqual(foreign);
    }
    expect((await convert()).result.warnings).not.toContainEqual(foreign);
    expect(readFileSync((await convert()).path).includes(',0.5,')).toBe(false);
  });
});

describe('vocabularies', () => {
  /** Text of every id, from a converted file. */
  async function texts(files: Files, options: ConvertOptions = {}): Promise<string[]> {
    const { path } = await convert(files, options);
    using model = await susurrus.loadModel<'whisper'>(path);
    return await Promise.all([0, 25, 26].map((id) => model.tokenizer.decode([id])));
  }
  const like = ['a', 'z', ' a'];

  test('come from vocab.json', async () => {
    expect(await texts({})).toEqual(like);
  });

  test('come from vocab.json and added_tokens.json', async () => {
    const plain = Object.entries(tinyVocabulary).filter(([, id]) => id < 27);
    const added = Object.entries(tinyVocabulary).filter(([, id]) => id >= 27);
    const { path } = await convert({
      'vocab.json': Object.fromEntries(plain),
      'added_tokens.json': Object.fromEntries(added),
    });
    using model = await susurrus.loadModel<'whisper'>(path);
    expect(model.tokenizer.special).toMatchObject({ endOfText: 27, timestampBegin: 36 });
  });

  test('come from tokenizer.json, which supersedes the others', async () => {
    const vocab = Object.fromEntries(Object.entries(tinyVocabulary).filter(([, id]) => id < 27));
    const added = Object.entries(tinyVocabulary)
      .filter(([, id]) => id >= 27)
      .map(([content, id]) => ({ id, content, special: true }));
    const files = {
      'vocab.json': { wrong: 0 },
      'tokenizer.json': { model: { vocab, merges: [] }, added_tokens: added },
    };
    expect(await texts(files)).toEqual(like);
  });

  test('come from a rank file, as a path or as bytes', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const lines = [...Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i)), ' a'];
    const ranks = lines.map((text, id) => `${base64(text)} ${id}\n`).join('');
    const none = { 'vocab.json': undefined };
    expect(await texts(none, { vocabulary: new TextEncoder().encode(ranks) })).toEqual(like);
    const path = join(writeHubFolder(join(root, 'ranks'), { 'r.tiktoken': ranks }), 'r.tiktoken');
    expect(await texts(none, { vocabulary: path })).toEqual(like);
  });

  test('may be larger than the model, with a warning', async () => {
    const { result } = await convert({ 'added_tokens.json': { '<extra>': 58, '<more>': 70 } });
    expect(result.warnings).toEqual([expect.stringMatching(/^2 vocabulary entries/)]);
  });

  test.each([
    ['an id that is no number', { 'vocab.json': { a: 'one' } }, {}],
    ['a rank file of something else', {}, { vocabulary: new TextEncoder().encode('no ranks') }],
    ['an empty rank file', {}, { vocabulary: new Uint8Array() }],
    ['base64 that is none', {}, { vocabulary: new TextEncoder().encode('%%% 0\n') }],
  ])('%s is refused', async (_, files: Files, options: ConvertOptions) => {
    expect(await errorOfConvert(files, options)).toMatchObject({
      code: 'malformed',
      details: { reason: 'bad_vocabulary' },
    });
  });
});

describe('weights', () => {
  const file = safetensors(tinyTensors);

  test.each([
    ['f32', undefined],
    ['f16', undefined],
    ['bf16', undefined],
    ['q8_0', 8.5],
    ['q5_1', 6],
    ['q5_0', 5.5],
    ['q4_1', 5],
    ['q4_0', 4.5],
  ] as const)('become %s', async (dtype, bits: number | undefined) => {
    const { facts, path } = await convert({}, { dtype, compress: 'none' });
    const dtypeOf = (name: string) => facts.tensors.find((tensor) => tensor.name === name)?.dtype;
    expect(dtypeOf('encoder.blocks.0.mlp.0.weight')).toBe(dtype);
    expect(dtypeOf('encoder.blocks.0.mlp.0.bias')).toBe('f32');
    expect(facts.metadata.quantization).toEqual(
      bits && { method: dtype.toUpperCase(), bits_per_weight: bits },
    );
    using model = await susurrus.loadModel<'whisper'>(path);
    expect(model.info.dtypes).toContain(dtype);
  });

  test('are compressed, and come back the same', async () => {
    const raw = await convert({}, { dtype: 'f32', compress: 'none' });
    const packed = await convert({}, { dtype: 'f32', compress: 'lz4' });
    expect(packed.facts.flags).toContain('COMPRESSED');
    expect(packed.result.byteCount).toBeLessThan(raw.result.byteCount);
    const states = await Promise.all(
      [raw, packed].map(async ({ path }) => {
        using model = await susurrus.loadModel<'whisper'>(path);
        const mel = { data: new Float32Array(80 * 40).fill(0.25), nMels: 80, nFrames: 40 };
        return await model.encode(mel);
      }),
    );
    expect(states[0]).toEqual(states[1]);
  });

  test('come from the parts that an index names', async () => {
    const half = tinyTensors.length >> 1;
    const parts = [tinyTensors.slice(0, half), tinyTensors.slice(half)];
    const names = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
    const map = Object.fromEntries(
      parts.flatMap((part, i) => part.map(([name]) => [name, names[i]])),
    );
    const { facts } = await convert({
      'model.safetensors': undefined,
      'model.safetensors.index.json': { weight_map: map },
      ...Object.fromEntries(parts.map((part, i) => [names[i]!, safetensors(part)] as const)),
    });
    expect(facts.tensors).toHaveLength(tinyTensors.length);
  });

  test('are named by their file as well as by their folder', async () => {
    const folder = writeHubFolder(join(root, 'named'));
    const path = join(folder, 'model.apr');
    await susurrus.convertModel(join(folder, 'model.safetensors'), path);
    expect(existsSync(path)).toBe(true);
  });

  const bad: [name: string, files: Files, code: string, subject: RegExp][] = [
    ['cut off', { 'model.safetensors': file.subarray(0, file.length - 5) }, 'malformed', /./],
    ['of 7 bytes', { 'model.safetensors': file.subarray(0, 7) }, 'truncated_input', /./],
    [
      'without a tensor',
      { 'model.safetensors': safetensors(tinyTensors.slice(1)) },
      'missing_tensor',
      /encoder\.conv1\.weight/,
    ],
    [
      'of another shape',
      { 'config.json': { ...tinyConfig, max_source_positions: 21 } },
      'shape_mismatch',
      /encoder\.positional_embedding/,
    ],
    [
      'pickled',
      { 'model.safetensors': undefined, 'pytorch_model.bin': 'x' },
      'unsupported_feature',
      /./,
    ],
    [
      'outside of the folder',
      {
        'model.safetensors': undefined,
        'model.safetensors.index.json': { weight_map: { a: '../a.safetensors' } },
      },
      'malformed',
      /index/,
    ],
  ];
  test.each(bad)('%s are refused', async (_, files, code, subject) => {
    const error = await errorOfConvert(files);
    expect(error).toMatchObject({ code });
    expect((error as Error).message).toMatch(subject);
  });
});

describe('a folder', () => {
  const bad: [name: string, files: Files, code: string, says: RegExp][] = [
    ['without config.json', { 'config.json': undefined }, 'source_failed', /config\.json/],
    ['whose config.json is no JSON', { 'config.json': '{' }, 'malformed', /config\.json/],
    [
      'of another architecture',
      { 'config.json': { model_type: 'wav2vec2' } },
      'malformed',
      /wav2vec2/,
    ],
    ['without a width', { 'config.json': { ...tinyConfig, d_model: 0 } }, 'malformed', /d_model/],
  ];
  test.each(bad)('%s is refused', async (_, files, code, says) => {
    const error = await errorOfConvert(files);
    expect(error).toMatchObject({ code });
    expect((error as Error).message).toMatch(says);
  });

  test('says how far it is, and stops when asked to', async () => {
    const events: Progress[] = [];
    await convert({}, { onProgress: (event) => void events.push(event) });
    expect(events.at(-1)).toMatchObject({ phase: 'convert', fraction: 1 });
    expectOneBar(events);
    const controller = new AbortController();
    const error = await errorOfConvert(
      {},
      { signal: controller.signal, onProgress: () => controller.abort() },
    );
    expect(error).toBe(controller.signal.reason);
  });

  test('is refused with options that do not exist', async () => {
    expect(await errorOfConvert({}, { dtype: 'q2' as 'f16' })).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'dtype' },
    });
  });
});
