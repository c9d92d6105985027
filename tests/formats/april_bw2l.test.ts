// .april and BW2L files through the package: what inspect says of them, however they arrive, and what is rejected.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { smallApril, writeApril } from '../support/april_writer.js';
import { builtPackage } from '../support/built_package.js';
import { array, layers, pairs, smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { expectDescribed } from '../support/described_file.js';
import { errorOf } from '../support/embedded_model.js';
import { projectRoot } from '../support/shared_folder.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-april-'));
beforeAll(async () => {
  susurrus = await builtPackage();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const run = promisify(execFile);
async function cli(...args: string[]): Promise<string> {
  return (await run(process.execPath, [join(projectRoot, 'dist/cli.mjs'), ...args])).stdout;
}

/** What loadModel() rejects with: an error that names what is wrong with the model. */
const refusal = {
  code: expect.stringMatching(/^(unsupported_feature|malformed|shape_mismatch)$/),
  details: { subject: expect.stringMatching(/./) },
};

const files: readonly (readonly [string, Uint8Array])[] = [
  ['small.april', writeApril(smallApril)],
  ['small.bw2l', writeBw2l('small', smallBw2l)],
];

describe.each(files)('%s', (name, bytes) => {
  test('is described as expected, however it arrives', async () => {
    await expectDescribed(susurrus, join(folder, name), name, bytes);
  });

  test('is refused when it is cut', async () => {
    for (const size of [20, 64, 100, bytes.length - 1]) {
      expect(await errorOf(susurrus.inspect(bytes.slice(0, size)))).toMatchObject({
        code: expect.stringMatching(/^(truncated_input|malformed)$/),
      });
    }
  });

  test('is refused before it runs, since its networks are made up', async () => {
    expect(await errorOf(susurrus.loadModel(bytes))).toMatchObject(refusal);
  });
});

describe('what cannot be run is described with a warning, and refused by loadModel', () => {
  const without = (name: string) => smallBw2l.filter((section) => section.name !== name);
  const typeAt =
    20 +
    16 +
    new TextEncoder().encode(smallApril.name).length +
    8 +
    new TextEncoder().encode(smallApril.description).length;
  const sound = writeApril(smallApril);
  const opaque = new TextEncoder().encode('not ONNX at all');
  const [encoder, , joiner] = smallApril.networks as [Uint8Array, Uint8Array, Uint8Array];
  const cases: readonly (readonly [string, Uint8Array, RegExp])[] = [
    [
      'an opaque network',
      writeApril({ ...smallApril, networks: [encoder, opaque, joiner] }),
      /^the decoder is not readable as ONNX \(at byte \d+\): it cannot be run$/,
    ],
    [
      'an .april file of type 0',
      sound.with(typeAt, 0),
      /^the model type is 0, unknown: such a model cannot be run$/,
    ],
    [
      'BW2L without tokens',
      writeBw2l('small', without('tokens')),
      /^there is no section tokens: such a model cannot be run$/,
    ],
    [
      'BW2L without layers',
      writeBw2l('small', without('layers')),
      /^there is no section layers: such a model cannot be run$/,
    ],
    ...['seq2seq', 'transformer'].map(
      (criterion) =>
        [
          `BW2L for ${criterion}`,
          writeBw2l(
            'small',
            smallBw2l.map((section) =>
              section.name === 'config' ? { ...section, data: pairs({ criterion }) } : section,
            ),
          ),
          new RegExp(`^the criterion ${criterion} cannot be run, only ctc and asg$`),
        ] as const,
    ),
  ];

  test.each(cases)('%s', async (_, bytes, warning) => {
    const { warnings } = await susurrus.inspect(bytes);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    const path = join(folder, 'runs-not.bin');
    writeFileSync(path, bytes);
    expect((await susurrus.inspect(path)).warnings).toEqual(warnings);
    expect((await susurrus.verifyModel(bytes)).valid).toBe(true);
    expect(await errorOf(susurrus.loadModel(bytes))).toMatchObject(refusal);
    // Cut, it is damaged.
    expect(await errorOf(susurrus.inspect(bytes.slice(0, -1)))).toMatchObject({
      code: expect.stringMatching(/^(truncated_input|malformed)$/),
    });
  });

  test('of type 0 the places of the parts are told, and no copy is made', async () => {
    const bytes = sound.with(typeAt, 0);
    const { networks = [], metadata } = await susurrus.inspect(bytes);
    expect(networks.map(({ name }) => name)).toEqual(['networks[0]', 'networks[1]', 'networks[2]']);
    expect(bytes.slice(networks[1]!.offset, networks[1]!.offset + networks[1]!.size)).toEqual(
      smallApril.networks[1],
    );
    expect(metadata).toMatchObject({
      model_type: 'unknown',
      params: { offset: networks[2]!.offset + joiner.length },
    });
    const source = join(folder, 'type0.april');
    writeFileSync(source, bytes);
    const copy = join(folder, 'type0-copy.april');
    expect(await errorOf(susurrus.convertModel(source, copy))).toMatchObject({
      code: 'unsupported_feature',
      details: { subject: 'model type' },
    });
    expect(existsSync(copy)).toBe(false);
  });

  test('opaque networks are copied and extracted byte for byte', async () => {
    const bytes = writeApril({ ...smallApril, networks: [encoder, opaque, joiner] });
    const [source, copy] = [join(folder, 'opaque.april'), join(folder, 'opaque-copy.april')];
    writeFileSync(source, bytes);
    await susurrus.convertModel(source, copy);
    expect(new Uint8Array(readFileSync(copy))).toEqual(bytes);
    await susurrus.extract(source, 'network:decoder', join(folder, 'opaque.bin'));
    expect(new Uint8Array(readFileSync(join(folder, 'opaque.bin')))).toEqual(opaque);
  });
});

describe('a BW2L file whose', () => {
  const withConfig = (quantization: string) =>
    writeBw2l(
      'small',
      smallBw2l.map((section) =>
        section.name === 'config'
          ? { ...section, data: pairs({ criterion: 'asg', quantization }) }
          : section,
      ),
    );

  test('quantization is none that the document lists is read with a warning', async () => {
    for (const known of ['', 'dynamic', 'fp16', 'i8', '8x16']) {
      expect((await susurrus.inspect(withConfig(known))).warnings).toEqual([]);
    }
    expect((await susurrus.inspect(withConfig('4bit'))).warnings).toEqual([
      "config.quantization is 4bit, none of dynamic, fp16, i8, 8x16; the arrays' types count",
    ]);
  });

  const withLayers = (...own: Parameters<typeof layers>[0]) =>
    writeBw2l(
      'small',
      smallBw2l.flatMap((section) =>
        section.name === 'arch'
          ? []
          : section.name === 'layers'
            ? { ...section, data: layers(own) }
            : section,
      ),
    );

  test('array has another number of elements than its line says is malformed for every reader', async () => {
    const bytes = withLayers({
      arch: 'L 40 10',
      arrays: [array('i8', 399, new Uint8Array(399))],
    });
    const refused = {
      code: 'malformed',
      details: {
        reason: 'size_mismatch',
        subject: 'layers[0].arrays[0].count',
        expected: '400 elements for L 40 10',
        got: '399',
      },
    };
    expect(await errorOf(susurrus.inspect(bytes))).toMatchObject(refused);
    expect(await errorOf(susurrus.loadModel(bytes))).toMatchObject(refused);
    expect((await susurrus.verifyModel(bytes)).valid).toBe(false);
  });

  test('layers no engine runs is read with a warning', async () => {
    const bytes = withLayers(
      { arch: 'R' },
      { arch: 'GRU 80 2', arrays: [array('fp32', 1, new Uint8Array(4))] },
    );
    expect((await susurrus.inspect(bytes)).warnings).toEqual([
      'layers[1]: RNN, GRU, LSTM, and BN without running statistics, cannot be run',
    ]);
  });
});

test('the tables show networks, sections and layers', async () => {
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  const april = await cli('inspect', join(folder, 'small.april'));
  expect(april).toContain('encoder: Add MatMul\n  takes x f32 1×9×80\n');
  expect(april).toContain('  takes context i64 1×2\n  gives decoder_out f32 1×1×8\n');
  const bw2l = await cli('inspect', join(folder, 'small.bw2l'));
  expect(bw2l).toMatch(/^ {2}transitions {2}array .* 29$/m);
  expect(bw2l).toMatch(/^ {2}L 80 2 +2 +0.25 +-3$/m);
});

test('errors name the place in the file', async () => {
  const april = writeApril({ ...smallApril, params: [2, ...smallApril.params.slice(1)] });
  const sound = await susurrus.inspect(writeApril(smallApril));
  const joiner = sound.networks?.[2];
  expect(await errorOf(susurrus.inspect(april))).toMatchObject({
    code: 'malformed',
    details: {
      reason: 'bad_metadata',
      subject: 'batch_size',
      offset: (joiner?.offset ?? 0) + (joiner?.size ?? 0) + 8,
    },
  });
  const unknown = smallBw2l.map((section) =>
    section.name === 'config' ? { ...section, type: 'data' } : section,
  );
  expect(await errorOf(susurrus.inspect(writeBw2l('small', unknown)))).toMatchObject({
    code: 'malformed',
    details: { reason: 'bad_metadata', subject: 'config' },
  });
});

test('networks are whole ONNX models where the description says that they are', async () => {
  const bytes = writeApril(smallApril);
  const { networks = [] } = await susurrus.inspect(bytes);
  expect(networks.map(({ name }) => name)).toEqual(['encoder', 'decoder', 'joiner']);
  networks.forEach(({ offset, size }, i) => {
    expect(bytes.slice(offset, offset + size)).toEqual(smallApril.networks[i]);
  });
});

test('a network is extracted byte for byte', async () => {
  const [source, out] = [join(folder, 'whole.april'), join(folder, 'decoder.onnx')];
  writeFileSync(source, writeApril(smallApril));
  await cli('extract', source, 'decoder', out);
  expect(new Uint8Array(readFileSync(out))).toEqual(smallApril.networks[1]);
  expect(await errorOf(susurrus.extract(source, 'network:joiner', out))).toMatchObject({
    code: 'invalid_argument',
    details: { subject: 'force' },
  });
  const { byteCount } = await susurrus.extract(source, 'network:joiner', out, { force: true });
  expect(byteCount).toBe(smallApril.networks[2]?.length);
  expect(new Uint8Array(readFileSync(out))).toEqual(smallApril.networks[2]);

  const missing = join(folder, 'missing.onnx');
  expect(await errorOf(susurrus.extract(source, 'network:decodr', missing))).toMatchObject({
    code: 'invalid_argument',
    details: { expected: 'one of encoder, decoder, joiner' },
  });
  expect(existsSync(missing)).toBe(false);
});
