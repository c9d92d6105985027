// Single tensors of model files: what they hold, from everywhere they may lie, and what is rejected.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { tinyApr1, tinyApr1Tensors, writeApr1, writeApr1Json } from '../support/apr1_writer.js';
import { flagBits, writeApr2 } from '../support/apr2_writer.js';
import { quantise, type BlockType } from '../support/block_quantiser.js';
import { array, layers, smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { builtPackage, susurrus as command } from '../support/built_package.js';
import { ggufFile, hubName, hubTensors } from '../support/checkpoint_writers.js';
import { ctranslate2Name, ctranslate2Variables } from '../support/ctranslate2_file.js';
import { errorOf, inPieces } from '../support/embedded_model.js';
import { ggmlFile, storedBytes, storedType } from '../support/ggml_writer.js';
import { goldenTensors } from '../support/golden_tensors.js';
import { fromHalf, toHalf } from '../support/halves.js';
import { safetensors, tinyTensors, writeHubFolder } from '../support/hub_folder.js';
import { lz4Stream } from '../support/lz4_blocks.js';
import { startRangeServer } from '../support/range_server.js';
import { asFiles, tinyShards, writeShards } from '../support/sharded_model.js';
import { describeWithShared, sharedFolder } from '../support/shared_folder.js';
import { floats, ints, tennisNode, text, writeTennis } from '../support/tennis_writer.js';
import { tinyDims, tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-tensors-'));
beforeAll(async () => {
  susurrus = await builtPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

const same = (a: Float32Array, b: Float32Array): boolean =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(
    Buffer.from(b.buffer, b.byteOffset, b.byteLength),
  );
const floatsOf = (bytes: Uint8Array): Float32Array =>
  new Float32Array(new Uint8Array(bytes).buffer);

describe('APR2', () => {
  const whole = tinyWhisper();
  const written = new Map(whole.tensors.map(({ name, stored }) => [name as string, stored]));

  test('of every source gives the tensors that were written', async () => {
    const server = await startRangeServer({ 'tiny.apr': writeApr2(whole) });
    const shards = tinyShards(3);
    const path = join(folder, 'tiny.apr');
    writeFileSync(path, writeApr2(whole));
    const sources = [
      ...[
        path,
        `${server.address}/tiny.apr`,
        writeApr2(whole),
        new Blob([writeApr2(whole).slice()]),
      ],
      ...[writeApr2(tinyWhisper({ compress: true })), asFiles(shards), writeShards(folder, shards)],
    ];
    for (const source of sources) {
      const file = await susurrus.openModelFile(source);
      expect(file).toMatchObject({ format: 'APR2', dims: { nVocab: 58 } });
      expect(file.tensors.map(({ name }) => name)).toEqual([...written.keys()]);
      for (const { name, shape } of file.tensors) {
        const tensor = await file.tensor(name);
        expect(tensor).toEqual({
          ...{ name, dtype: 'f32', shape, bytes: written.get(name) },
          values: floatsOf(written.get(name)!),
        });
      }
      file.close();
    }
    await server.close();
  });

  test('of f32 holds values and bytes in one buffer, of other types in two', async () => {
    const half = { name: 'half', dtype: 1, dims: [2], stored: new Uint8Array([0, 60, 0, 64]) };
    const tensors = [...whole.tensors, half];
    const file = await susurrus.openModelFile(writeApr2({ ...whole, tensors }));
    const buffers = async (name: string) => {
      const { values, bytes } = await file.tensor(name);
      return values.buffer === bytes.buffer;
    };
    expect(await buffers(file.tensors[0]!.name)).toBe(true);
    expect(await buffers('half')).toBe(false);
    expect((await file.tensor('half')).values).toEqual(Float32Array.of(1, 2));
    file.close();
  });

  test('with flags shows them, in tables too', async () => {
    const tensors = whole.tensors.map((tensor, i) =>
      i === 1 ? { ...tensor, flags: 2 ** 32 - 1 } : tensor,
    );
    const path = join(folder, 'flags.apr');
    writeFileSync(path, writeApr2({ ...whole, tensors }));
    const facts = await susurrus.inspect(path);
    expect(facts.tensors.map(({ flags }) => flags).slice(0, 3)).toEqual([
      undefined,
      2 ** 32 - 1,
      undefined,
    ]);
    expect(command('inspect', path)).toMatch(/^ .* 0xffffffff$/m);
  });

  test('of every type gives its values', async () => {
    const values = Float32Array.from({ length: 256 }, (_, i) => Math.sin(i) * 3);
    const halves = Uint16Array.from(values, toHalf);
    const blocks: readonly BlockType[] = ['q8_0', 'q4_0', 'q4_1', 'q5_0', 'q5_1'];
    const numbers = { f16: 1, i8: 3, i16: 4, q8_0: 16, q4_0: 17, q4_1: 18, q5_0: 19, q5_1: 20 };
    const tensor = (dtype: keyof typeof numbers, bytes: Uint8Array) => {
      const stored = lz4Stream(bytes);
      const sizes =
        stored.length < bytes.length ? { stored, rawSize: bytes.length } : { stored: bytes };
      return { name: dtype, dtype: numbers[dtype], dims: [4, 64], ...sizes };
    };
    const raw = new Map<string, Uint8Array>([
      ['f16', new Uint8Array(halves.buffer)],
      ['i8', new Uint8Array(Int8Array.from(values, (value) => value * 40).buffer)],
      ['i16', new Uint8Array(Int16Array.from(values, (value) => value * 4000).buffer)],
      ...blocks.map((type) => [type, quantise(type, values)] as const),
    ]);
    const file = await susurrus.openModelFile(
      writeApr2({
        flags: flagBits.aligned64 | flagBits.compressed,
        metadata: tinyMetadata,
        tensors: [...raw].map(([name, bytes]) => tensor(name as keyof typeof numbers, bytes)),
      }),
    );
    for (const [name, bytes] of raw) {
      const found = await file.tensor(name);
      expect([name, Buffer.from(found.bytes).equals(bytes)]).toEqual([name, true]);
      expect(found.values).toHaveLength(256);
    }
    expect((await file.tensor('f16')).values).toEqual(Float32Array.from(halves, fromHalf));
    expect((await file.tensor('i16')).values).toEqual(
      Float32Array.from(Int16Array.from(values, (value) => value * 4000)),
    );
    for (const [type, most] of [
      ['q8_0', 0.013],
      ['q5_1', 0.1],
      ['q5_0', 0.2],
      ['q4_1', 0.21],
      ['q4_0', 0.4],
    ] as const) {
      const found = (await file.tensor(type)).values;
      const error = Math.max(...found.map((value, i) => Math.abs(value - values[i]!)));
      expect([type, error < most]).toEqual([type, true]);
    }
    file.close();
  });

  test('prefetched tensors are read once, in the order of the file, and then given', async () => {
    const server = await startRangeServer({
      'tiny.apr': writeApr2(tinyWhisper({ reverseData: true })),
    });
    const file = await susurrus.openModelFile(`${server.address}/tiny.apr`);
    const names = file.tensors.map(({ name }) => name);
    const wanted = [names[3]!, names[0]!, names[3]!];
    await file.prefetch(wanted);
    const { sentBytes } = server;
    await server.close();
    for (const name of [names[0]!, names[3]!]) {
      expect((await file.tensor(name)).values).toEqual(floatsOf(written.get(name)!));
    }
    expect(server.sentBytes).toBe(sentBytes);
    file.close();
  });

  test('that was damaged is refused where that shows', async () => {
    const compressed = writeApr2(tinyWhisper({ compress: true }));
    const sound = await susurrus.openModelFile(compressed);
    const target = sound.tensors.find(({ size, rawSize }) => size < rawSize)!;
    const bytes = compressed.slice();
    bytes.fill(0xff, target.offset + 4, target.offset + 20);
    const file = await susurrus.openModelFile(bytes);
    expect(await errorOf(file.tensor(target.name))).toMatchObject({
      code: 'malformed',
      details: { reason: 'decompress', subject: target.name },
    });
    // Others are none the worse.
    const other = file.tensors.find(({ name }) => name !== target.name)!;
    expect((await file.tensor(other.name)).values).toHaveLength(other.rawSize / 4);
  });
});

describe('APR1', () => {
  const written = new Map(
    tinyWhisper().tensors.map(({ name, stored }) => [name as string, floatsOf(stored)]),
  );

  test.each([
    ['f32', writeApr1(tinyApr1())],
    ['f16', writeApr1(tinyApr1(1))],
    ['LZ4', writeApr1(tinyApr1(0, true))],
    ['JSON texts', writeApr1Json({ ...tinyDims, vocab: tinyMetadata.vocab }, tinyApr1Tensors())],
  ])('of %s gives its values', async (_, bytes) => {
    const path = join(folder, 'one.apr');
    writeFileSync(path, bytes);
    const file = await susurrus.openModelFile(path);
    expect(file.format).toMatch(/^APR1/);
    for (const [name, values] of written) {
      expect([name, (await file.tensor(name)).values]).toEqual([name, values]);
    }
    file.close();
  });

  test('of int8 gives integers times their scale', async () => {
    const file = await susurrus.openModelFile(writeApr1(tinyApr1(2)));
    for (const { name, stored, scale = 1 } of tinyApr1Tensors(2)) {
      const { dtype, bytes, values } = await file.tensor(name as string);
      expect([dtype, bytes]).toEqual(['i8', stored]);
      const integers = new Int8Array(stored.buffer);
      expect(values).toEqual(Float32Array.from(integers, (q) => q * Math.fround(scale)));
    }
    file.close();
  });
});

describe('what is refused', () => {
  test('a name that the file does not have, with those it may have meant', async () => {
    const file = await susurrus.openModelFile(writeApr2(tinyWhisper()));
    for (const work of [
      file.tensor('encoder.conv1.wieght'),
      file.prefetch(['encoder.conv1.wieght']),
    ]) {
      const error = (await errorOf(work)) as InstanceType<typeof susurrus.SusurrusError>;
      expect(error).toBeInstanceOf(susurrus.SusurrusError);
      expect(error).toMatchObject({
        code: 'invalid_argument',
        details: { subject: 'name', got: 'encoder.conv1.wieght' },
      });
      expect(error.details.expected).toMatch(/such as encoder\.conv1\.weight/);
    }
    expect(await errorOf(file.tensor(7 as never))).toMatchObject({ code: 'invalid_argument' });
  });

  test('a closed file', async () => {
    const file = await susurrus.openModelFile(writeApr2(tinyWhisper()));
    const [{ name } = { name: '' }] = file.tensors;
    const waiting = errorOf(file.tensor(name));
    file.close();
    file.close();
    expect(await waiting).toBeInstanceOf(susurrus.SusurrusError);
    expect(await errorOf(file.tensor(name))).toMatchObject({ code: 'wrong_state' });
    expect(await errorOf(file.prefetch([name]))).toMatchObject({ code: 'wrong_state' });
  });

  test.each(['dispose', 'asyncDispose'] as const)('Symbol.%s closes a file', async (end) => {
    const file = await susurrus.openModelFile(writeApr2(tinyWhisper()));
    await file[Symbol[end]]();
    expect(await errorOf(file.tokens())).toMatchObject({ code: 'wrong_state' });
  });

  test('sources that can only be read forwards', async () => {
    const bytes = writeApr2(tinyWhisper());
    for (const source of [
      inPieces(bytes, 100),
      new Response(bytes.slice()),
      new Blob([bytes.slice()]).stream(),
    ]) {
      expect(await errorOf(susurrus.openModelFile(source))).toMatchObject({
        code: 'source_failed',
      });
    }
    const server = await startRangeServer({ a: bytes });
    server.behaviour = { ignoresRanges: true };
    expect(await errorOf(susurrus.openModelFile(`${server.address}/a`))).toMatchObject({
      code: 'source_failed',
      details: { expected: 'HTTP 206, Partial Content' },
    });
    await server.close();
  });

  test('an aborted call', async () => {
    const bytes = writeApr2(tinyWhisper());
    const controller = new AbortController();
    const file = await susurrus.openModelFile(bytes, { signal: controller.signal });
    controller.abort();
    const { signal } = controller;
    expect(await errorOf(file.tensor('encoder.conv1.weight'))).toBe(signal.reason);
    expect(await errorOf(susurrus.openModelFile(bytes, { signal }))).toBe(signal.reason);
  });
});

test('constants of TenniS modules, and arrays of BW2L files with their layer’s scale', async () => {
  const module = await susurrus.openModelFile(
    writeTennis({
      inputs: [],
      outputs: [0],
      nodes: [
        tennisNode('<const>', 'c', [], ['value', floats([2, 2], 1, 2, 3, -4)]),
        tennisNode('<const>', 'i', [], ['value', ints([3], 7, -8, 9)]),
        tennisNode('<const>', 't', [], ['value', text('abc')]),
      ],
    }),
  );
  expect((await module.tensor('c')).values).toEqual(Float32Array.of(1, 2, 3, -4));
  expect(await module.tensor('i')).toMatchObject({
    dtype: 'i32',
    values: Float32Array.of(7, -8, 9),
  });
  expect(await errorOf(module.tensor('t'))).toMatchObject({
    code: 'unsupported_feature',
    details: { reason: 'unsupported_dtype', subject: 't' },
  });
  const sections = smallBw2l.map((section) =>
    section.name === 'transitions'
      ? { ...section, data: array('fp32', 4, new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer)) }
      : section.name === 'layers'
        ? {
            ...section,
            data: layers([
              { arch: 'V -1 1 NFEAT 0' },
              {
                arch: 'C2 1 2 3 1 1 1',
                arrays: [array('fp32', 6, new Uint8Array(24)), array('fp16', 2, new Uint8Array(4))],
              },
              {
                arch: 'L 80 2',
                ...{ scale: 0.25, offset: -3 },
                arrays: [
                  array('i8', 160, new Uint8Array(160).fill(255)),
                  array('i32', 2, new Uint8Array(Int32Array.of(5, -3).buffer)),
                ],
              },
            ]),
          }
        : section,
  );
  const network = await susurrus.openModelFile(writeBw2l('small', sections));
  expect((await network.tensor('transitions')).values).toEqual(Float32Array.of(1, 2, 3, 4));
  expect((await network.tensor('layers[2].0')).values).toEqual(new Float32Array(160).fill(0.5));
  expect((await network.tensor('layers[2].1')).values).toEqual(Float32Array.of(2, 0));
});

test('a hub folder in parts', async () => {
  const [first, second] = [tinyTensors.slice(0, 5), tinyTensors.slice(5)];
  const map = Object.fromEntries([
    ...first.map(([name]) => [name, 'a.safetensors'] as const),
    ...second.map(([name]) => [name, 'b.safetensors'] as const),
  ]);
  const path = writeHubFolder(join(folder, 'parts'), {
    'model.safetensors': undefined,
    'model.safetensors.index.json': { weight_map: map },
    'a.safetensors': safetensors(first),
    'b.safetensors': safetensors(second),
  });
  const file = await susurrus.openModelFile(path);
  for (const tensors of [first, second]) {
    let at = 0;
    for (const [name, shape] of tensors) {
      const { values } = await file.tensor(name);
      expect(values).toHaveLength(shape.reduce((product, side) => product * side, 1));
      expect(values).toEqual(values.map((_, i) => (((at + i) % 128) - 64) / 64));
      at += values.length;
    }
  }
  file.close();
});

describeWithShared(['golden/models'], 'Checkpoints of a golden model', () => {
  const goldens = goldenTensors('micro-en');

  test.each(['f32', 'q8_0'] as const)('ggml %s', async (type) => {
    const file = await susurrus.openModelFile(ggmlFile('micro-en', type));
    expect(file.tensors).toHaveLength(goldens.length);
    for (const golden of goldens) {
      const stored = storedType(golden, type);
      const { bytes, values, dtype } = await file.tensor(golden.name);
      expect([golden.name, dtype]).toEqual([golden.name, stored]);
      if (stored !== 'q8_0')
        expect([golden.name, same(values, golden.values)]).toEqual([golden.name, true]);
      // Writing blocks takes long; the matrices of a layer are enough.
      else if (values.length < 10_000) {
        expect(Buffer.from(bytes).equals(storedBytes(golden.values, stored))).toBe(true);
      }
    }
    file.close();
  });

  test('GGUF with the hub’s names, and SafeTensors', async () => {
    const safe = join(sharedFolder, 'golden/models/micro-en/model.safetensors');
    for (const [source, name] of [
      [ggufFile('micro-en', { type: 'f16', names: 'hub' }), hubName],
      [safe, (name: string) => name],
    ] as const) {
      const file = await susurrus.openModelFile(source);
      for (const golden of goldens.slice(0, 12)) {
        const { values, shape } = await file.tensor(name(golden.name));
        expect(shape).toEqual(golden.shape);
        expect([golden.name, same(values, golden.values)]).toEqual([golden.name, true]);
      }
      file.close();
    }
    expect(hubTensors('micro-en')).toHaveLength(goldens.length);
  });
});

describeWithShared(['golden/ctranslate2'], 'CTranslate2 folders', () => {
  test.each(['float16', 'bfloat16', 'int8_float16'])('%s', async (type) => {
    const path = join(sharedFolder, 'golden/ctranslate2', type);
    const variables = ctranslate2Variables(readFileSync(join(path, 'model.bin')));
    const file = await susurrus.openModelFile(path);
    expect(file).toMatchObject({ format: 'CTranslate2', dims: { nVocab: 51864 } });
    expect((await file.vocabulary())![50257]).toMatchObject({ text: '<|startoftranscript|>' });
    for (const golden of goldenTensors('micro-en')) {
      const [name, part, parts] = ctranslate2Name(golden.name);
      const { values: all, shape } = variables.get(name)!;
      const scales = variables.get(`${name}_scale`)?.values;
      const rows = shape[0]! / parts;
      const width = all.length / shape[0]!;
      const expected = all.slice(part * rows * width, (part + 1) * rows * width);
      if (scales) {
        for (let i = 0; i < expected.length; ++i) {
          expected[i]! /= scales[part * rows + Math.floor(i / width)]!;
        }
      }
      const { values } = await file.tensor(golden.name);
      expect([golden.name, same(values, expected)]).toEqual([golden.name, true]);
    }
    file.close();
  });
});

describe('extract', () => {
  interface Npy {
    readonly descr: string;
    readonly shape: readonly number[];
    readonly data: Buffer;
  }

  /** By NumPy's own description of the format. */
  function readNpy(path: string): Npy {
    const file = readFileSync(path);
    expect(file.toString('latin1', 0, 8)).toBe('\x93NUMPY\x01\x00');
    const begin = 10 + file.readUInt16LE(8);
    expect(begin % 64).toBe(0);
    const header = file.toString('latin1', 10, begin);
    const [, descr = '', shape = ''] =
      /^\{'descr': '(.+)', 'fortran_order': False, 'shape': \((.*)\), \} *\n$/.exec(header) ?? [];
    return {
      descr,
      shape: shape.split(',').flatMap((side) => (side.trim() === '' ? [] : [Number(side)])),
      data: file.subarray(begin),
    };
  }

  test('writes what NumPy has as it is stored, all else as f32', async () => {
    const values = Float32Array.from({ length: 128 }, (_, i) => i / 8 - 3);
    const halves = new Uint8Array(Uint16Array.from(values, toHalf).buffer);
    const path = join(folder, 'types.apr');
    const dims = [2, 64];
    const blocks = quantise('q8_0', values);
    const stored = new Uint8Array(values.buffer);
    const packed = lz4Stream(new Uint8Array(4096));
    writeFileSync(
      path,
      writeApr2({
        flags: flagBits.aligned64 | flagBits.compressed,
        metadata: tinyMetadata,
        tensors: [
          { name: 'f32', dtype: 0, dims: [128], stored },
          { name: 'f16', dtype: 1, dims, stored: halves },
          { name: 'q8_0', dtype: 16, dims, stored: blocks },
          { name: 'zeros', dtype: 0, dims: [4, 16, 16], stored: packed, rawSize: 4096 },
        ],
      }),
    );
    const extracted = (name: string): Npy => {
      const out = join(folder, `${name}.npy`);
      command('extract', path, name, out);
      return readNpy(out);
    };
    expect(extracted('f32')).toMatchObject({ descr: '<f4', shape: [128] });
    expect(Buffer.from(stored).equals(extractedAgain('f32').data)).toBe(true);
    expect(extracted('f16')).toMatchObject({ descr: '<f2', shape: dims });
    expect(Buffer.from(halves).equals(extractedAgain('f16').data)).toBe(true);
    expect(extracted('zeros')).toEqual({
      descr: '<f4',
      shape: [4, 16, 16],
      data: Buffer.alloc(4096),
    });
    const file = await susurrus.openModelFile(path);
    const { values: expected } = await file.tensor('q8_0');
    expect(extracted('q8_0')).toMatchObject({ descr: '<f4', shape: dims });
    expect(extractedAgain('q8_0').data.equals(Buffer.from(expected.buffer))).toBe(true);
  });
  const extractedAgain = (name: string): Npy => readNpy(join(folder, `${name}.npy`));

  test('leaves nothing behind when it fails, and replaces only with force', async () => {
    const path = join(folder, 'small.apr');
    writeFileSync(path, writeApr2(tinyWhisper()));
    const out = join(folder, 'out.npy');
    const name = 'encoder.conv1.weight';
    expect(await errorOf(susurrus.extract(path, `tensor:${name}s`, out))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'name' },
    });
    expect(existsSync(out)).toBe(false);
    const { tensor, byteCount } = await susurrus.extract(path, `tensor:${name}`, out);
    expect(readNpy(out).shape).toEqual(tensor?.shape);
    expect(statSync(out).size).toBe(byteCount);
    expect(await errorOf(susurrus.extract(path, `tensor:${name}`, out))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'force' },
    });
    await susurrus.extract(path, `tensor:${name}`, out, { force: true });
    expect(readNpy(out).shape).toEqual(tensor?.shape);
  });
});
