// Hub folder → APR1 → APR2: values, sections, and files that are not touched when something goes wrong.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  filterbankSection,
  tinyApr1,
  tinyApr1Tensors,
  vocabularySection,
  writeApr1,
  writeApr1Json,
} from '../support/apr1_writer.js';
import { builtPackage, susurrus as command } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { htkFilterbank } from '../support/htk_filterbank.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { decodeLz4Stream } from '../support/lz4_blocks.js';
import { tinyDims, tinyMetadata } from '../support/tiny_whisper.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const root = mkdtempSync(join(tmpdir(), 'susurrus-apr1-'));
afterAll(() => rmSync(root, { recursive: true }));
const path = (name: string) => join(root, name);
const hub = writeHubFolder(path('hub'));
const force = { force: true } as const;

type Facts = Awaited<ReturnType<Package['inspect']>>;
type Tensor = Facts['tensors'][number];

/** A file's stored bytes of each tensor, decoded. */
async function tensorsOf(file: string): Promise<Map<string, { bytes: Uint8Array; facts: Tensor }>> {
  const bytes = new Uint8Array(readFileSync(file));
  const { tensors } = await susurrus.inspect(bytes);
  return new Map(
    tensors.map((facts) => {
      const stored = bytes.slice(facts.offset, facts.offset + facts.size);
      const isStream = facts.size !== facts.rawSize;
      return [
        facts.name,
        { facts, bytes: isStream ? decodeLz4Stream(stored, facts.rawSize) : stored },
      ];
    }),
  );
}

function halfToFloat(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  const magnitude =
    exponent === 0 ? mantissa * 2 ** -24 : (1 + mantissa / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/** Its values, whatever it is stored as. */
function valuesOf({ bytes, facts }: { bytes: Uint8Array; facts: Tensor }): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (facts.dtype) {
    case 'f32':
      return Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
    case 'f16':
      return Array.from({ length: bytes.length / 2 }, (_, i) =>
        halfToFloat(view.getUint16(2 * i, true)),
      );
    case 'i8':
      return Array.from(bytes, (_, i) => Math.fround(view.getInt8(i) * Math.fround(facts.scale!)));
    case 'q8_0':
      return Array.from({ length: (bytes.length / 34) * 32 }, (_, i) => {
        const block = Math.floor(i / 32) * 34;
        return halfToFloat(view.getUint16(block, true)) * view.getInt8(block + 2 + (i % 32));
      });
    default:
      throw new Error(facts.dtype);
  }
}

describe('a folder to APR1', () => {
  test.each(['f32', 'f16', 'int8'] as const)('%s', async (dtype) => {
    const file = path(`${dtype}.apr`);
    const exact = path('exact.apr');
    const { byteCount, tensorCount } = await susurrus.convertModel(hub, file, {
      ...{ format: 'apr1', dtype, ...force },
    });
    await susurrus.convertModel(hub, exact, { dtype: 'f32', ...force });
    expect(byteCount).toBe(statSync(file).size);
    const facts = await susurrus.inspect(file);
    expect(facts).toMatchObject({ format: 'APR1', version: '1.0', warnings: [] });
    expect(facts.flags).toEqual(['VOCABULARY', 'FILTERBANK']);
    expect(facts.metadata).toMatchObject({ quantization: dtype, model_type: 'tiny' });
    const [written, wanted] = [await tensorsOf(file), await tensorsOf(exact)];
    expect(tensorCount).toBe(wanted.size);
    for (const [name, tensor] of wanted) {
      const found = written.get(name)!;
      expect(found.facts.dtype).toBe(dtype === 'int8' ? 'i8' : dtype);
      const values = valuesOf(tensor);
      const largest = Math.max(...values.map(Math.abs));
      const stored = valuesOf(found);
      if (dtype !== 'int8') {
        // Multiples of 1/64 below 1, which halves hold.
        expect(stored).toEqual(values);
        continue;
      }
      expect(Math.fround(found.facts.scale!)).toBe(largest === 0 ? 1 : Math.fround(largest / 127));
      stored.forEach((value, i) => {
        expect(Math.abs(value - values[i]!)).toBeLessThanOrEqual(found.facts.scale! * 0.50001);
      });
      expect(Math.max(...Array.from(found.bytes, (q) => Math.abs((q << 24) >> 24)))).toBeLessThan(
        128,
      );
    }
  });

  test.each(['f32', 'int8'] as const)('%s compressed holds the same', async (dtype) => {
    const [raw, packed] = [path('raw.apr'), path('packed.apr')];
    await susurrus.convertModel(hub, raw, { format: 'apr1', dtype, ...force });
    await susurrus.convertModel(hub, packed, { format: 'apr1', dtype, compress: 'lz4', ...force });
    expect(statSync(packed).size).toBeLessThan(statSync(raw).size);
    const [a, b] = [await tensorsOf(raw), await tensorsOf(packed)];
    for (const [name, { bytes }] of a) expect(b.get(name)!.bytes).toEqual(bytes);
    (await susurrus.loadModel<'whisper'>(packed)).dispose();
  });

  test('types that it does not have are refused, and so is int8 for APR2', async () => {
    for (const options of [{ format: 'apr1', dtype: 'q8_0' }, { dtype: 'int8' }] as const) {
      const error = await errorOf(susurrus.convertModel(hub, path('no.apr'), options));
      expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'dtype' } });
    }
    expect(existsSync(path('no.apr'))).toBe(false);
  });

  test('what it has no place for is said', async () => {
    const folder = writeHubFolder(path('lists'), {
      'generation_config.json': { suppress_tokens: [1, 2], alignment_heads: [[0, 1]] },
    });
    const { warnings } = await susurrus.convertModel(folder, path('lists.apr'), { format: 'apr1' });
    expect(warnings.join()).toContain('no place for lists of suppressed tokens');
  });
});

describe('APR1 to APR2', () => {
  const sources: [string, Uint8Array][] = [
    ['f32', writeApr1(tinyApr1(0))],
    ['f16', writeApr1(tinyApr1(1))],
    ['int8', writeApr1(tinyApr1(2))],
    ['f32 compressed', writeApr1(tinyApr1(0, true))],
    ['int8 compressed', writeApr1(tinyApr1(2, true))],
    ['padded', writeApr1({ ...tinyApr1(2), padded: true })],
    ['JSON', writeApr1Json({ ...tinyDims, vocab: tinyMetadata.vocab }, tinyApr1Tensors())],
  ];

  test.each(sources)('%s keeps every value, from a path and from a Blob', async (name, bytes) => {
    const source = path('v1.apr');
    writeFileSync(source, bytes);
    const [one, other] = [path('v2.apr'), path('v2-blob.apr')];
    const result = await susurrus.upgradeModel(source, one, force);
    await susurrus.upgradeModel(new Blob([Uint8Array.from(bytes)]), other, force);
    expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
    expect(result.warnings.length).toBe(name === 'padded' ? 1 : 0);
    const [before, after] = [await tensorsOf(source), await tensorsOf(one)];
    expect(after.size).toBe(before.size);
    for (const [tensor, stored] of before) {
      expect(valuesOf(after.get(tensor)!)).toEqual(valuesOf(stored));
    }
    const { metadata } = await susurrus.inspect(one);
    expect(metadata).toMatchObject({
      architecture: tinyDims,
      vocab: { length: tinyMetadata.vocab.length },
      mel_filterbank: { length: 80 * 201 },
    });
    using model = await susurrus.loadModel<'whisper'>(one);
    expect(await model.tokenizer.decode([0, 26, 1])).toBe('a ab');
  });

  test('scales that halves hold give halves', async () => {
    const tensors = tinyApr1Tensors(2).map((tensor) => ({
      ...{ ...tensor, scale: 2 ** -8 },
    }));
    const source = path('halves.apr');
    writeFileSync(source, writeApr1({ ...tinyApr1(2), tensors }));
    await susurrus.upgradeModel(source, path('halves2.apr'));
    const [before, after] = [await tensorsOf(source), await tensorsOf(path('halves2.apr'))];
    expect(after.get('encoder.conv1.weight')!.facts.dtype).toBe('f16');
    expect(after.get('encoder.conv1.bias')!.facts.dtype).toBe('f32');
    for (const [name, stored] of before)
      expect(valuesOf(after.get(name)!)).toEqual(valuesOf(stored));
  });

  test('q8_0 keeps the integers, and the scale to 2^-11', async () => {
    const source = path('int8.apr');
    writeFileSync(source, writeApr1(tinyApr1(2)));
    await susurrus.upgradeModel(source, path('q8_0.apr'), { dtype: 'q8_0' });
    const [before, after] = [await tensorsOf(source), await tensorsOf(path('q8_0.apr'))];
    for (const [name, stored] of before) {
      const found = after.get(name)!;
      const values = valuesOf(stored);
      const isMatrix = stored.facts.shape.length === 2 && !name.endsWith('positional_embedding');
      const isVector = stored.facts.shape.length === 1 || name.endsWith('positional_embedding');
      expect(found.facts.dtype).toBe(isMatrix ? 'q8_0' : isVector ? 'f32' : 'f16');
      valuesOf(found).forEach((value, i) => {
        expect(Math.abs(value - values[i]!)).toBeLessThanOrEqual(Math.abs(values[i]!) / 2048);
      });
      if (!isMatrix) continue;
      const integers = found.bytes.filter((_, i) => i % 34 >= 2);
      expect(integers).toEqual(stored.bytes);
    }
    // APR1 itself runs with these integers and scales, so the logits agree.
    const states = async (file: string) => {
      using model = await susurrus.loadModel<'whisper'>(file, { variant: 'simd' });
      const mel = await model.logMel(new Float32Array(6400).fill(0.1));
      await model.encode(mel);
      return [...(await model.logits([29, 30]))];
    };
    const [direct, upgraded] = [await states(source), await states(path('q8_0.apr'))];
    direct.forEach((logit, i) => expect(upgraded[i]).toBeCloseTo(logit, 1));
  });

  test('a vocabulary that was decoded wrongly is replaced by the one given', async () => {
    const tokens = Array.from({ length: 50257 }, () => Uint8Array.of(0x78));
    const source = path('corrupt.apr');
    const dims = { ...tinyDims, n_vocab: 50300 };
    const embedding = {
      ...{ name: 'decoder.token_embedding.weight', dims: [50300, 32] },
      stored: new Uint8Array(4 * 50300 * 32),
    };
    const tensors = tinyApr1Tensors().map((each) =>
      each.name === embedding.name ? embedding : each,
    );
    writeFileSync(
      source,
      writeApr1({ ...tinyApr1(), dims, tensors, vocabulary: vocabularySection(tokens) }),
    );
    const ranks = path('ranks.tiktoken');
    writeFileSync(ranks, 'QQ== 0\nQg== 1\n');
    const { warnings } = await susurrus.upgradeModel(source, path('mended.apr'), {
      vocabulary: ranks,
    });
    expect(warnings.join()).toContain('decoded wrongly');
    expect((await susurrus.inspect(path('mended.apr'))).metadata.vocab).toEqual(['A', 'B']);
    expect(await errorOf(susurrus.upgradeModel(source, path('no.apr')))).toMatchObject({
      code: 'malformed',
    });
    expect(existsSync(path('no.apr'))).toBe(false);
  });

  test('what is no APR1 is refused, and nothing is left behind', async () => {
    await susurrus.convertModel(hub, path('two.apr'), force);
    const cases = [
      [path('two.apr'), 'unsupported_feature'],
      [path('nothing.apr'), 'source_failed'],
      [new Blob([writeApr1(tinyApr1()).slice(0, 999)]), 'truncated_input'],
      [hub, 'invalid_argument'],
    ] as const;
    for (const [source, code] of cases) {
      expect(await errorOf(susurrus.upgradeModel(source, path('no.apr')))).toMatchObject({ code });
      expect(existsSync(path('no.apr'))).toBe(false);
    }
    writeFileSync(path('v1.apr'), writeApr1(tinyApr1()));
    expect(await errorOf(susurrus.upgradeModel(path('v1.apr'), path('two.apr')))).toMatchObject({
      ...{ code: 'invalid_argument', details: { subject: 'force' } },
    });
  });
});

describe('a filterbank of the model’s own', () => {
  const weights = htkFilterbank(80).map((weight, i) => weight + (i % 201) / 1e6);
  const preprocessor = {
    mel_filters: Array.from({ length: 80 }, (_, mel) =>
      Array.from(weights.subarray(201 * mel, 201 * (mel + 1))),
    ),
  };
  const own = writeHubFolder(path('own'), { 'preprocessor_config.json': preprocessor });

  /** As the file stores it, in its metadata or its section. */
  async function filterbankOf(file: string): Promise<Float32Array> {
    const bytes = readFileSync(file);
    const { format, sections = [] } = await susurrus.inspect(file);
    if (format === 'APR2') {
      const begin = bytes.readUInt32LE(12);
      const text = bytes.toString('utf8', begin, begin + bytes.readUInt32LE(16));
      const { mel_filterbank } = JSON.parse(text) as { mel_filterbank: number[] };
      return Float32Array.from(mel_filterbank);
    }
    const { offset = 0 } = sections.find(({ name }) => name === 'filterbank') ?? {};
    return Float32Array.from({ length: 80 * 201 }, (_, i) =>
      bytes.readFloatLE(offset + 12 + 4 * i),
    );
  }

  test('goes from APR2 to APR1 and back bit for bit', async () => {
    const files = ['own.apr', 'own1.apr', 'own2.apr', 'own3.apr'].map(path) as [
      ...[string, string, string, string],
    ];
    await susurrus.convertModel(own, files[0], { dtype: 'f32' });
    await susurrus.convertModel(files[0], files[1], { format: 'apr1', dtype: 'f32' });
    await susurrus.upgradeModel(files[1], files[2]);
    await susurrus.convertModel(files[1], files[3]);
    for (const file of files) expect(await filterbankOf(file)).toEqual(weights);
  });

  test('HTK’s is written as it is only where the caller keeps it', async () => {
    const htk = htkFilterbank(80);
    const source = path('htk.apr');
    writeFileSync(source, writeApr1({ ...tinyApr1(), filterbank: filterbankSection(80, htk) }));
    const out = path('htk2.apr');
    await susurrus.convertModel(hub, path('whispers.apr'), force);
    const whispers = await filterbankOf(path('whispers.apr'));
    expect((await susurrus.upgradeModel(source, out, force)).warnings).toEqual([
      "the filterbank is HTK's, which a known converter wrote by mistake, and is replaced by Whisper's",
    ]);
    expect(await filterbankOf(out)).toEqual(whispers);
    const kept = await susurrus.upgradeModel(source, out, { ...force, filterbank: 'embedded' });
    expect(kept.warnings).toEqual([]);
    expect(await filterbankOf(out)).toEqual(htk);
    command('upgrade', source, out, '--force', '--filterbank', 'embedded');
    const lines = command('inspect', out).split('\n');
    expect(lines).toContainEqual(
      expect.stringMatching(/^filterbank 80×201, HTK's \(row 0 sum 0\.0/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^warning +the filterbank is HTK's, not .*--filterbank whisper/),
    );
    expect(command('verify', out)).toMatch(/^warning +the filterbank is HTK's, not Whisper's/m);
    expect(command('inspect', path('whispers.apr'))).toMatch(
      /^filterbank 80×201, Whisper's \(row 0 sum 0\.0249\)$/m,
    );
    expect(await filterbankOf(out)).toEqual(htk);
  });

  test('gives way to Whisper’s where that is asked for', async () => {
    await susurrus.convertModel(hub, path('whispers.apr'), force);
    const whispers = await filterbankOf(path('whispers.apr'));
    const options = { ...force, filterbank: 'whisper' } as const;
    for (const source of [own, path('own.apr'), path('own1.apr')]) {
      await susurrus.convertModel(source, path('given.apr'), options);
      expect(await filterbankOf(path('given.apr'))).toEqual(whispers);
    }
  });

  test.each([-1e-3, 1e39, null])('is refused with a weight of %s', async (weight) => {
    const folder = writeHubFolder(path(`bad${weight}`), {
      'preprocessor_config.json': { mel_filters: preprocessor.mel_filters.map((row) => [...row]) },
    });
    const file = join(folder, 'preprocessor_config.json');
    const { mel_filters } = JSON.parse(readFileSync(file, 'utf8')) as typeof preprocessor;
    const spoilt = mel_filters.map((row, i) => (i === 7 ? [weight, ...row.slice(1)] : row));
    writeFileSync(file, JSON.stringify({ mel_filters: spoilt }));
    expect(await errorOf(susurrus.convertModel(folder, path('no.apr')))).toMatchObject({
      code: 'malformed',
      details: { reason: 'bad_filterbank' },
    });
    expect(existsSync(path('no.apr'))).toBe(false);
  });
});

test('the command line does the same', () => {
  const [v1, v2] = [path('cli1.apr'), path('cli2.apr')];
  command('convert', hub, v1, '--format', 'apr1', '--dtype', 'int8');
  command('upgrade', v1, v2, '--dtype', 'q8_0');
  const facts = JSON.parse(command('inspect', '--json', v1)) as {
    tensors: { dtype: string; scale?: number }[];
    sections: { name: string }[];
  };
  expect(facts.tensors[0]!.dtype).toBe('i8');
  expect(facts.sections.map(({ name }) => name)).toContain('scales');
  expect(command('inspect', v1)).toMatch(/scale\n/);
  expect(command('inspect', v2)).toContain('APR2');
});
