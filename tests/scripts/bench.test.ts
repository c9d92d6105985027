import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ggmlName, writeGgmlFile } from '../../scripts/bench/ggml_file.mjs';
import { loadProblems, type MeasuredLoad } from '../../scripts/bench/load.mjs';
import { leftAt, rightAt, steps, sumsAt, tileModule } from '../../scripts/bench/measure_limits.mjs';
import {
  crossOperations,
  encoderFloorMs,
  encoderOperations,
  tokenBytes,
  tokenOperations,
} from '../../scripts/bench/operations.mjs';
import { parseOptions } from '../../scripts/bench/options.mjs';
import { absurdities, toRatios, toRows } from '../../scripts/bench/stage_report.mjs';
import { median, medians, relativeError } from '../../scripts/statistics.mjs';
import { formatTable, number, percent, runsText } from '../../scripts/bench/table.mjs';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';

jest.setTimeout(limit(300_000));

const tiny = {
  ...{ nVocab: 51865, nAudioCtx: 1500, nTextCtx: 448, nMels: 80 },
  ...{ nAudioLayer: 4, nTextLayer: 4, nAudioState: 384, nTextState: 384 },
  ...{ nAudioHead: 6, nTextHead: 6 },
};

describe('what runs come down to', () => {
  test('medians', () => {
    expect(median([3, 100, 1])).toBe(3);
    expect(median([4, 1, 2, 10])).toBe(3);
    expect(() => median([])).toThrow(RangeError);
    const runs = [
      { a: 1, b: 5, name: 'x' },
      { a: 9, b: 6 },
      { a: 2, b: 7, c: 1 },
    ];
    expect(medians(runs)).toEqual({ a: 2, b: 6 });
  });

  test('relative error', () => {
    expect(relativeError([3, 4], [3, 4])).toBe(0);
    expect(relativeError([3, 5], [3, 4])).toBeCloseTo(0.2);
    expect(() => relativeError([1], [1, 2])).toThrow(RangeError);
  });

  test("operations and bytes of Whisper tiny's dimensions", () => {
    const giga = (count: number): number => Number((count / 1e9).toFixed(2));
    const { convolutions, linear, attention, total } = encoderOperations(tiny);
    expect([convolutions, linear, attention, total].map(giga)).toEqual([1.88, 21.23, 13.82, 36.94]);
    expect(giga(crossOperations(tiny))).toBe(3.54);
    expect(tokenOperations(tiny) / 1e6).toBeCloseTo(65.6, 1);
    // 28.2 million weights, and 4.6 million values of cross-attention in f32.
    const caches = 4 * 2 * (1500 + 448) * 384 * 4;
    expect(tokenBytes(tiny, 'f32', caches) / 1e6).toBeCloseTo(131.1, 1);
    expect(tokenBytes(tiny, 'q8_0', caches) / 1e6).toBeCloseTo(48.4, 1);
    const bytes = 4 * 2 * (448 * 384 * 4 + 1500 * 384);
    expect(tokenBytes(tiny, 'q8_0', bytes) / 1e6).toBeCloseTo(34.5, 1);
    expect(encoderFloorMs(tiny, 'f32', { f32: 40e9, int8: 80e9 })).toBeCloseTo(923.4, 1);
    expect(encoderFloorMs(tiny, 'int8', { f32: 40e9, int8: 80e9 })).toBeCloseTo(634.5, 1);
    expect(encoderFloorMs(tiny, 'q8_0', { f32: 40e9, int8: 80e9 })).toBeCloseTo(461.7, 1);
  });
});

describe('tables', () => {
  const rows = [
    { name: 'a', value: 1.26 },
    { name: 'long', value: undefined },
  ];
  const columns = [
    ['name', (row: { name: string }) => row.name, 'text'],
    ['value', (row: { value: number | undefined }) => number(row.value, 1)],
    ['never', () => '–'],
  ] as const;

  test('are aligned, without columns that are empty', () => {
    expect(formatTable(rows, columns)).toBe('name  value\na       1.3\nlong      –');
    expect(formatTable(rows, columns, 'markdown')).toBe(
      '| name | value |\n| ---- | ----: |\n| a    |   1.3 |\n| long |     – |',
    );
  });
});

describe('the report', () => {
  const limits = [
    {
      mulAdd: 40e9,
      dotI16: 80e9,
      madd: 56e9,
      relaxedDot: 220e9,
      readRates: [
        [32, 24e9],
        [64, 16e9],
      ] as const,
    },
    {
      mulAdd: 44e9,
      dotI16: 80e9,
      madd: 56e9,
      relaxedDot: 220e9,
      readRates: [
        [32, 10e9],
        [64, 10e9],
      ] as const,
    },
    {
      mulAdd: 41e9,
      dotI16: 80e9,
      madd: 56e9,
      relaxedDot: 220e9,
      readRates: [
        [32, 29e9],
        [64, 22e9],
      ] as const,
    },
  ];
  const memory = {
    wasmBytes: 96 * 2 ** 20,
    weightBytes: 42e6,
    kvCacheBytes: 4 * 2 * 1948 * 384 * 4,
  };
  const ourRun = (encodeMs: number) => ({
    ...{ loadMs: 30, melMs: 4, encodeMs, crossMs: 60, promptMs: 8, tokenMs: 3, beamTokenMs: 6 },
    ...{ compileMs: 3, instantiateMs: 5, wholeMs: 900, memory, dims: tiny },
  });
  const onnxRun = (encodeMs: number) => ({
    ...{ loadMs: 900, encodeMs, promptMs: 136, tokenMs: 15, wasmBytes: 2 ** 28 },
    encoderDifference: 1e-6,
  });
  const names = { variant: 'simd', threads: 1 };
  const measured = {
    cases: [
      { engine: 'ours', weights: 'q8_0', ...names, runs: [810, 800, 990].map(ourRun) },
      {
        engine: 'onnxruntime-web',
        weights: 'int8',
        ...names,
        runs: [1000, 2000, 900].map(onnxRun),
      },
      { engine: 'onnxruntime-web', weights: 'fp32', ...names, runs: [1200].map(onnxRun) },
    ],
    limits,
  };

  test('takes medians, the encoder without what is made for the decoder, and shares of the limits', () => {
    const [ours, int8] = toRows(measured);
    expect(ours).toMatchObject({
      encodeMs: 810,
      encoderMs: 750,
      promptAndCrossMs: 68,
      wasmMiB: 96,
    });
    expect(ours?.encoderGflops).toBeCloseTo(36.94 / 0.75, 1);
    const floor = encoderFloorMs(tiny, 'q8_0', { f32: 41e9, int8: 80e9 });
    expect(ours?.encoderShare).toBeCloseTo(floor / 750);
    // 48.4 MB, between 32 MiB at 24 GB/s and 64 MiB at 16.
    const rate = 24e9 - 8e9 * ((48.4e6 / 2 ** 20 - 32) / 32);
    expect(ours?.tokenShare).toBeCloseTo(48.4e6 / rate / 0.003, 2);
    expect(int8).toMatchObject({ encoderMs: 1000, promptAndCrossMs: 136, wasmMiB: 256 });
  });

  test('puts ours over the peer with as many threads', () => {
    const [ratio, ...rest] = toRatios(toRows(measured));
    expect(rest).toEqual([]);
    expect(ratio).toMatchObject({ encoderToInt8: 0.75, encoderToFp32: 0.625, promptToInt8: 0.5 });
    expect(ratio).toMatchObject({ tokenToInt8: 0.2, memoryToInt8: 0.375, beamToGreedy: 2 });
  });

  test('leaves out differences that noise turned negative and shares above their limit', () => {
    const noisy = { ...ourRun(810), crossMs: -70.3, tokenMs: -1, beamTokenMs: 6 };
    const [row] = toRows({ ...measured, cases: [{ ...measured.cases[0]!, runs: [noisy] }] });
    expect(row).toMatchObject({ encodeMs: 810, promptMs: 8, beamTokenMs: 6 });
    for (const name of ['crossMs', 'encoderMs', 'promptAndCrossMs', 'tokenMs', 'tokenShare'])
      expect(row?.[name]).toBeUndefined();
    expect(absurdities([row!], 1)).toEqual([]);
    const [ratio] = toRatios([row!, ...toRows(measured).slice(1)]);
    expect(ratio).toMatchObject({ encoderToInt8: undefined, beamToGreedy: undefined });
    expect([0.5, 1.02, -0.1, undefined].map(percent)).toEqual(['50 %', '–', '–', '–']);
    expect([1, 3].map(runsText)).toEqual(['one run', 'medians of 3 alternating runs']);
  });

  test('refuses what cannot be, and nothing for being slow', () => {
    const rows = toRows(measured);
    expect(absurdities(rows, 3)).toEqual([]);
    const slow = rows.map((row) => ({ ...row, encodeMs: 59_000, tokenMs: 5_000 }));
    expect(absurdities(slow, 3)).toEqual([]);
    expect(absurdities(rows, 4)).toEqual(['3 rows instead of 4']);
    const wrong = (change: object): string[] => absurdities([{ ...rows[0], ...change }], 1);
    const name = 'ours q8_0 simd, 1 threads';
    expect(wrong({ tokenMs: NaN })).toEqual([`${name}: tokenMs is NaN`]);
    expect(wrong({ melMs: 0 })).toEqual([`${name}: melMs is 0`]);
    expect(wrong({ promptMs: undefined })).toEqual([`${name}: promptMs is undefined`]);
    expect(wrong({ encodeMs: 60_001 })).toEqual([
      `${name}: the encoder takes longer than a minute`,
    ]);
    const other = { ...rows[2], encoderDifference: 0.01 };
    expect(absurdities([other], 1)).toHaveLength(1);
  });
});

describe('the loops whose speed is the limit', () => {
  const columns = 8;
  const depth = { mulAdd: 1, dotI16: 2 };

  test.each(['mulAdd', 'dotI16'] as const)('%s adds up products', async (name) => {
    const rows = 5;
    const { instance } = await WebAssembly.instantiate(tileModule(name, rows));
    const { memory, run } = instance.exports as {
      memory: WebAssembly.Memory;
      run: (repeats: number) => void;
    };
    const isFloat = name === 'mulAdd';
    const inner = steps * depth[name];
    const a = (row: number, k: number): number => ((row + 2 * k) % 7) - 3;
    const b = (k: number, column: number): number => ((3 * k + column) % 5) - 2;
    const view = new DataView(memory.buffer);
    for (let k = 0; k < inner; ++k) {
      for (let row = 0; row < rows; ++row) {
        const at = leftAt + 4 * rows * Math.floor(k / depth[name]) + 4 * row;
        if (isFloat) view.setFloat32(at, a(row, k), true);
        else view.setInt16(at + 2 * (k % 2), a(row, k), true);
      }
      for (let column = 0; column < columns; ++column) {
        if (isFloat) view.setFloat32(rightAt + 4 * (columns * k + column), b(k, column), true);
        else view.setInt8(rightAt + 16 * (k >> 1) + 2 * column + (k % 2), b(k, column));
      }
    }
    run(2);
    const sums = isFloat ? Float32Array : Int32Array;
    const found = Array.from(new sums(memory.buffer, sumsAt, rows * columns));
    const expected = Array.from({ length: rows * columns }, (_, i) => {
      let sum = 0;
      for (let k = 0; k < inner; ++k) sum += a(Math.floor(i / columns), k) * b(k, i % columns);
      return 2 * sum;
    });
    expect(found).toEqual(expected);
  });
});

describe("whisper.cpp's file", () => {
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-bench-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('names tensors as whisper.cpp does', () => {
    expect(
      [
        'encoder.conv1.weight',
        'encoder.embed_positions.weight',
        'encoder.layers.3.self_attn.q_proj.weight',
        'encoder.layers.3.final_layer_norm.bias',
        'decoder.layers.0.encoder_attn_layer_norm.weight',
        'decoder.layers.0.encoder_attn.out_proj.bias',
        'decoder.layers.0.self_attn_layer_norm.weight',
        'decoder.layers.0.fc2.weight',
        'decoder.embed_tokens.weight',
        'decoder.layer_norm.weight',
      ].map(ggmlName),
    ).toEqual([
      'encoder.conv1.weight',
      'encoder.positional_embedding',
      'encoder.blocks.3.attn.query.weight',
      'encoder.blocks.3.mlp_ln.bias',
      'decoder.blocks.0.cross_attn_ln.weight',
      'decoder.blocks.0.cross_attn.out.bias',
      'decoder.blocks.0.attn_ln.weight',
      'decoder.blocks.0.mlp.2.weight',
      'decoder.token_embedding.weight',
      'decoder.ln.weight',
    ]);
  });

  test('holds blocks of Q8_0 from which the values come back', () => {
    const values = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i));
    const weights = {
      names: ['model.encoder.layers.0.fc1.weight'],
      tensor: () => ({ shape: [2, 32], values }),
    };
    const path = join(folder, 'model.bin');
    writeGgmlFile(path, tiny, weights, ['a', 'bc'], new Float32Array(80 * 201), 0);
    const bytes = readFileSync(path);
    const name = 'encoder.blocks.0.mlp.0.weight';
    const header = 12 * 4 + 8 + 80 * 201 * 4 + 4 + (4 + 1) + (4 + 2);
    expect(bytes.readInt32LE(header)).toBe(2);
    expect([12, 16].map((at) => bytes.readInt32LE(header + at))).toEqual([32, 2]);
    const data = header + 20 + name.length;
    expect(bytes.toString('latin1', header + 20, data)).toBe(name);
    expect(bytes).toHaveLength(data + 2 * 34);
    const half = bytes.readUInt16LE(data);
    const scale = (1 + (half & 1023) / 1024) * 2 ** ((half >> 10) - 15);
    for (let i = 0; i < 32; ++i) {
      expect(bytes.readInt8(data + 2 + i) * scale).toBeCloseTo(values[i] ?? NaN, 1.9);
    }
  });
});

/** What it prints. */
function runBench(...args: string[]): string {
  const script = join(projectRoot, 'scripts/bench/bench.mjs');
  return execFileSync(process.execPath, [script, ...args], {
    ...{ encoding: 'utf8', maxBuffer: 2 ** 24 },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

describe('npm run bench', () => {
  test('refuses options that it does not know', () => {
    expect(parseOptions([])).toMatchObject({ size: 'tiny', threads: [1], runs: 3, hasPeers: true });
    expect(parseOptions(['--threads', '1,2', '--no-peers'])).toMatchObject({
      ...{ threads: [1, 2], hasPeers: false, node: 'current' },
    });
    expect(parseOptions(['load'])).toMatchObject({
      ...{ mode: 'load', size: 'base', dtypes: ['f16'], hasPeers: false },
    });
    expect(parseOptions(['large'])).toMatchObject({
      ...{ mode: 'large', threads: [1, 2], runs: 1, hasPeers: false },
    });
    expect(parseOptions(['trained', '--audio', 'talk.wav'])).toMatchObject({
      ...{ mode: 'trained', threads: [1, 2], runs: 3, hasPeers: true, recording: 'talk.wav' },
    });
    const refused = [
      ['--audio', 'talk.wav'],
      ['--dtype', 'f64'],
      ['--threads', '0'],
      ['--runs', 'x'],
      ['--fast'],
      ['tiny'],
    ];
    refused.push(['load', 'load'], ['load', '--growth'], ['load', '--model', 'x']);
    for (const args of refused) expect(() => parseOptions(args)).toThrow();
  });

  test('measures what larger models need, on a small one', () => {
    const { rows } = JSON.parse(
      runBench('large', '--quick', '--node', 'current', '--variant', 'simd', '--json'),
    ) as { rows: Record<string, unknown>[] };
    const seen = rows.map(({ dtype, threads }) => `${String(dtype)} ${String(threads)}`);
    expect(seen).toEqual(['q8_0 1', 'q8_0 2', 'q5_0 2']);
    for (const row of rows) {
      const { fileMiB, plannedMiB, heapMiB, wasmMiB } = row as Record<string, number>;
      expect(plannedMiB).toBeGreaterThan(fileMiB!);
      expect(heapMiB).toBeGreaterThan(plannedMiB!);
      expect(wasmMiB).toBeGreaterThanOrEqual(heapMiB!);
    }
  });

  test('measures how a small model is loaded, raw and compressed, beside the limits', () => {
    const { models, limits, rows, peaks } = JSON.parse(
      runBench('load', '--quick', '--node', 'current', '--variant', 'simd', '--json'),
    ) as MeasuredLoad;
    expect(models).toHaveLength(1);
    const { byteCounts, tensorBytes, ratio } = models[0]!;
    expect(byteCounts.none).toBeGreaterThan(tensorBytes);
    expect(byteCounts.lz4).toBeLessThan(byteCounts.none);
    expect(ratio).toBe(byteCounts.lz4 / byteCounts.none);
    expect(limits.map(({ where }) => where)).toEqual(['native', `Node ${process.versions.node}`]);
    for (const { copy, copyFresh, lz4, lz4Fresh, crc32, crc32Cached } of limits) {
      const rates = [copy, copyFresh, lz4, lz4Fresh, crc32, crc32Cached];
      for (const rate of rates) expect(rate).toBeGreaterThan(0);
    }
    expect(limits[0]!['zlibCrc32']).toBeGreaterThan(0);
    expect(rows.map(({ storage, source }) => `${storage} ${source}`)).toEqual([
      ...['none memory', 'none stream', 'lz4 memory', 'lz4 stream'],
    ]);
    // All loads have the same weights.
    expect(new Set(rows.map(({ weightBytes }) => weightBytes)).size).toBe(1);
    for (const { rate, streamMs } of rows)
      expect(rate).toBeCloseTo((1000 * tensorBytes) / streamMs);
    expect(peaks.map(({ storage }) => storage)).toEqual(['none', 'lz4']);
    for (const { aboveTensors } of peaks) expect(aboveTensors).toBeLessThanOrEqual(2 * 2 ** 20);

    expect(loadProblems({ rows, peaks })).toEqual([]);
    const wrongRow = { ...rows[0]!, streamMs: 0 };
    const wrongPeak = { ...peaks[1]!, aboveTensors: 2 * 2 ** 20 + 1 };
    expect(loadProblems({ rows: [wrongRow], peaks: [wrongPeak] })).toHaveLength(2);
  });

  test('measures every stage of a small model', () => {
    // It fails by itself where a row is missing or a figure impossible.
    const output = runBench('--quick', '--no-peers', '--variant', 'simd', '--json');
    const { rows } = JSON.parse(output) as { rows: { weights: string; encodeMs: number }[] };
    expect(rows.map(({ weights }) => weights)).toEqual(['f32', 'q8_0']);
    for (const { encodeMs } of rows) expect(encodeMs).toBeGreaterThan(0);
  });
});
