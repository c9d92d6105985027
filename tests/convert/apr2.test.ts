// APR2 → APR2: other types, other files, everything else as it was.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { apr2Tensors } from '../support/apr2_tensors.js';
import { builtPackage, susurrus as command } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { tinyWhisper } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
const root = mkdtempSync(join(tmpdir(), 'susurrus-apr2-'));
const path = (name: string) => join(root, name);
const read = (name: string) => readFileSync(path(name));
const hub = writeHubFolder(path('hub'), {
  'generation_config.json': {
    suppress_tokens: [1, 2],
    begin_suppress_tokens: [3],
    max_initial_timestamp_index: 7,
    alignment_heads: [[0, 1]],
  },
});

beforeAll(async () => {
  susurrus = await builtPackage();
  const { convertModel } = susurrus;
  await convertModel(hub, path('f32.apr'), { dtype: 'f32', compress: 'none' });
  await convertModel(hub, path('raw.apr'), { dtype: 'q8_0', compress: 'none' });
  await convertModel(hub, path('packed.apr'), { dtype: 'q8_0' });
});
afterAll(() => rmSync(root, { recursive: true }));

test('weights of the wanted type stay as they are, out of streams and into them', async () => {
  const { convertModel } = susurrus;
  const raw = { compress: 'none', force: true } as const;
  for (const dtype of [{}, { dtype: 'q8_0' }] as const) {
    await convertModel(path('packed.apr'), path('out.apr'), { ...raw, ...dtype });
    expect(read('out.apr').equals(read('raw.apr'))).toBe(true);
    await convertModel(path('raw.apr'), path('out.apr'), { ...dtype, force: true });
    expect(read('out.apr').equals(read('packed.apr'))).toBe(true);
  }
  const blob = new Blob([Uint8Array.from(read('packed.apr'))]);
  await convertModel(blob, path('out.apr'), raw);
  expect(read('out.apr').equals(read('raw.apr'))).toBe(true);
});

test('other types are those that a conversion from the folder gives', async () => {
  const { convertModel, inspect } = susurrus;
  for (const dtype of ['f16', 'bf16', 'q5_1', 'q5_0', 'q4_1', 'q4_0'] as const) {
    const options = { dtype, compress: 'none', force: true } as const;
    await convertModel(hub, path('wanted.apr'), options);
    const { warnings } = await convertModel(path('f32.apr'), path('out.apr'), options);
    expect(warnings).toEqual([]);
    expect(await apr2Tensors(path('out.apr'))).toEqual(await apr2Tensors(path('wanted.apr')));
    const [out, wanted] = [await inspect(path('out.apr')), await inspect(path('wanted.apr'))];
    expect([out.metadata, out.flags]).toEqual([wanted.metadata, wanted.flags]);
  }
  await convertModel(path('raw.apr'), path('out.apr'), { dtype: 'f16', force: true });
  const { metadata } = await inspect(path('out.apr'));
  expect(metadata).not.toHaveProperty('quantization');
  const [wide, blocks] = [await apr2Tensors(path('f32.apr')), await apr2Tensors(path('raw.apr'))];
  const name = 'decoder.blocks.0.mlp.0.weight';
  expect([wide.get(name)![0], blocks.get(name)![0]]).toEqual(['f32', 'q8_0']);
  expect(await tensorType('out.apr', name)).toBe('f16');
});

async function tensorType(file: string, name: string): Promise<string | undefined> {
  const { tensors } = await susurrus.inspect(path(file));
  return tensors.find((tensor) => tensor.name === name)?.dtype;
}

test('metadata go along whole, with keys that nobody here knows', async () => {
  const { convertModel, inspect } = susurrus;
  const { metadata } = await inspect(path('f32.apr'));
  expect(metadata).toMatchObject({
    alignment_heads: [[0, 1]],
    tokenizer_config: {
      suppress_tokens: [1, 2],
      begin_suppress_tokens: [3],
      max_initial_timestamp_index: 7,
    },
    mel_filterbank: { length: 80 * 201 },
  });
  await convertModel(path('f32.apr'), path('out.apr'), { dtype: 'q4_0', force: true });
  const { quantization, ...after } = (await inspect(path('out.apr'))).metadata;
  expect(after).toEqual(metadata);
  expect(quantization).toEqual({ method: 'Q4_0', bits_per_weight: 4.5 });
  const own = tinyWhisper();
  const theirs = {
    ...{ somebody: { said: [1, null] }, model_card: { name: 'a', licence: 'b' } },
    ...{ piece_digests: { of: 'the file before' } },
  };
  const filterbank = {
    name: 'audio.mel_filterbank',
    dims: [80, 201],
    stored: new Uint8Array(64320),
  };
  const file = writeApr2({
    ...own,
    metadata: { ...(own.metadata as object), ...theirs },
    tensors: [...own.tensors, filterbank],
  });
  writeFileSync(path('own.apr'), file);
  const { warnings } = await convertModel(path('own.apr'), path('out.apr'), {
    ...{ dtype: 'f16', force: true },
  });
  expect(warnings.join()).toContain('piece_digests are left out');
  expect(warnings.join()).not.toContain(filterbank.name);
  expect(await tensorType('out.apr', filterbank.name)).toBe('f32');
  const sink = new WritableStream<Uint8Array>();
  const { warnings: lost } = await convertModel(path('own.apr'), sink, { format: 'apr1' });
  expect(lost.join()).toContain('audio.mel_filterbank is left out');
  const kept = Object.entries(theirs).filter(([name]) => name !== 'piece_digests');
  const { metadata: written } = await inspect(path('out.apr'));
  expect(kept).toHaveLength(Object.keys(theirs).length - 1);
  expect(written).toMatchObject(Object.fromEntries(kept));
  expect(written).not.toHaveProperty('piece_digests');
  const ranks = new TextEncoder().encode('QQ== 0\nQg== 1\n');
  await convertModel(path('f32.apr'), path('out.apr'), { vocabulary: ranks, force: true });
  expect((await inspect(path('out.apr'))).metadata.vocab).toEqual(['A', 'B']);
});

test('from shards and into them', async () => {
  const { convertModel, shardModel } = susurrus;
  const { files } = await shardModel(path('packed.apr'), path('shards'), { size: 40_000 });
  expect(files!.length).toBeGreaterThan(2);
  const events: number[] = [];
  await convertModel(path('shards/packed.apr'), path('out.apr'), {
    ...{ compress: 'none', force: true },
    onProgress: ({ phase, fraction }) => phase === 'inspect' && events.push(fraction!),
  });
  expect(read('out.apr').equals(read('raw.apr'))).toBe(true);
  expect(events).toEqual([...events].sort((a, b) => a - b));
  expect(events.at(-1)).toBe(1);
  const { files: parts } = await convertModel(path('shards/packed.apr'), path('parts.apr'), {
    ...{ dtype: 'f16', shardSize: 50_000 },
  });
  expect(parts!.length).toBeGreaterThan(2);
  await convertModel(path('parts.apr'), path('joined.apr'), { force: true });
  await convertModel(path('raw.apr'), path('wanted.apr'), { dtype: 'f16', force: true });
  expect(read('joined.apr').equals(read('wanted.apr'))).toBe(true);

  const lost = path(`shards/${files![1]!}`);
  const bytes = readFileSync(lost);
  rmSync(lost);
  expect(await errorOf(convertModel(path('shards/packed.apr'), path('no.apr')))).toMatchObject({
    ...{ code: 'source_failed' },
  });
  bytes[bytes.length - 40]! ^= 1;
  writeFileSync(lost, bytes);
  expect(await errorOf(convertModel(path('shards/packed.apr'), path('no.apr')))).toMatchObject({
    code: expect.stringMatching(/checksum_mismatch|malformed/),
  });
  expect(existsSync(path('no.apr'))).toBe(false);
});

test('damaged, encrypted and other files are refused, and nothing is left behind', async () => {
  const { convertModel, encryptModel } = susurrus;
  const bytes = read('raw.apr');
  bytes[bytes.length - 3000]! ^= 1;
  writeFileSync(path('damaged.apr'), bytes);
  await encryptModel(path('raw.apr'), path('sealed.apr'), { key: new Uint8Array(32) });
  writeFileSync(path('other.json'), '{"a": 1}');
  const cases = [
    ['damaged.apr', 'checksum_mismatch'],
    ['sealed.apr', 'unsupported_feature'],
    ['other.json', 'unknown_format'],
  ] as const;
  for (const [file, code] of cases) {
    const error = await errorOf(convertModel(path(file), path('no.apr')));
    expect(error).toMatchObject({ code });
    expect((error as Error).message).toContain(file);
    expect(existsSync(path('no.apr'))).toBe(false);
  }
});

test('the command line does the same, and runs what comes out', async () => {
  command('convert', path('packed.apr'), path('cli.apr'), '--dtype', 'q8_0', '--compress', 'none');
  expect(read('cli.apr').equals(read('raw.apr'))).toBe(true);
  command('convert', path('f32.apr'), path('one.apr'), '--format', 'apr1', '--dtype', 'int8');
  const { format, tensors } = await susurrus.inspect(path('one.apr'));
  expect([format, tensors[0]!.dtype]).toEqual(['APR1', 'i8']);
  (await susurrus.loadModel<'whisper'>(path('one.apr'))).dispose();
});
