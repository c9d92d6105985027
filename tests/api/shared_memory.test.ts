// The memory that an engine's threads share: made for the model, not for all that there are addresses for.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { EngineHost } from '../../web/src/engine/engine_host.js';
import { openForThreads } from '../../web/src/engine/several_threads.js';
import { createThreadsEngine } from '../../web/src/engine/threads_module.js';
import type { ModelSource } from '../../web/src/node.js';
import type { EngineLink } from '../../web/src/protocol/engine.js';
import { openInProcess } from '../../web/src/worker/in_process.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import {
  errorOf,
  inPieces,
  modelBytes,
  modelPath,
  sampleAudio,
  sampleText,
} from '../support/embedded_model.js';
import { projectRoot } from '../support/shared_folder.js';
import { tinyDims, tinyMetadata, tinyWhisper } from '../support/tiny_whisper.js';

const pageBytes = 2 ** 16;
const mebibyte = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-shared-'));
const samples = sampleAudio();
const tiny = writeApr2(tinyWhisper());
let susurrus: Awaited<ReturnType<typeof builtPackage>>;
beforeAll(async () => {
  susurrus = await builtPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

const { Memory } = WebAssembly;
afterEach(() => {
  WebAssembly.Memory = Memory;
});

/** The bytes that shared memories may grow to, in the order in which they are made; `refuse` says which are not to be had. */
function watchMemories(refuse: (mostBytes: number) => boolean = () => false): number[] {
  const made: number[] = [];
  WebAssembly.Memory = class extends Memory {
    constructor(wanted: WebAssembly.MemoryDescriptor) {
      const mostBytes = (wanted.maximum ?? 0) * pageBytes;
      if (wanted.shared && refuse(mostBytes)) throw new RangeError('no such memory here');
      super(wanted);
      if (wanted.shared) made.push(mostBytes);
    }
  };
  return made;
}

/** What the model of `source` was given, and the plan for it; the last memory is the model's. */
async function memoryOf(source: ModelSource): Promise<{ made: number[]; planned: number }> {
  // The detector has a memory of its own.
  const options = { threads: 3, beamSize: 16, vad: false };
  const { peakBytes } = await susurrus.plan(source, options);
  const made = watchMemories();
  using model = await susurrus.loadModel<'whisper'>(source, { threads: 3 });
  expect(model.info.threads).toBe(3);
  // The most that options can ask for.
  await model.decode(samples, { beamSize: 16 });
  await model.transcribe(samples, { timestamps: 'word', beamSize: 16 });
  expect((await model.memory()).wasmBytes).toBeLessThanOrEqual(made.at(-1) ?? 0);
  return { made, planned: peakBytes };
}

describe('as much as the plan says', () => {
  test.each<[string, () => ModelSource, number]>([
    ['the model of the package', () => modelPath, 32],
    ['a tiny model', () => tiny, 16],
  ])('%s', async (_, source, mostMebibytes) => {
    const { made, planned } = await memoryOf(source());
    const expected = Math.ceil((planned + mebibyte) / pageBytes) * pageBytes;
    expect(made.at(-1)).toBe(expected);
    expect(expected).toBeLessThan(mostMebibytes * mebibyte);
    // The other is the one that the head was read with.
    expect(made.length).toBe(2);
    expect(made[0]).toBeLessThanOrEqual(70 * mebibyte);
  });

  test('of a stream in small pieces', async () => {
    const made = watchMemories();
    using model = await susurrus.loadModel<'whisper'>(inPieces(tiny, 100), { threads: 2 });
    using whole = await susurrus.loadModel<'whisper'>(tiny, { threads: 2 });
    expect(made[1]).toBe(made[3]);
    expect(await model.decode(samples)).toEqual(await whole.decode(samples));
  });

  test('of shards: with room for all files', async () => {
    const { files = [] } = await susurrus.shardModel(modelPath, folder, { size: 600_000 });
    expect(files.length).toBeGreaterThan(3);
    const { made, planned } = await memoryOf(join(folder, 'digits.apr'));
    expect(made.at(-1)).toBeGreaterThanOrEqual(planned);
    expect(made.at(-1)).toBeLessThan(planned + 2 * modelBytes().length);
  });
});

test('metadata that the first instance has no room for are read by the second, which may grow to all', async () => {
  const file = tinyWhisper();
  const metadata = { ...tinyMetadata, note: 'x'.repeat(48 * mebibyte) };
  const made = watchMemories();
  using model = await susurrus.loadModel<'whisper'>(writeApr2({ ...file, metadata }), {
    threads: 2,
  });
  expect(model.info.threads).toBe(2);
  expect(made.at(-1)).toBe(2 ** 32);
});

test('a model whose file breaks off in its head is an error, with threads as without', async () => {
  for (const size of [10, 100, 600]) {
    const load = (threads: number): Promise<unknown> =>
      errorOf(susurrus.loadModel<'whisper'>(tiny.subarray(0, size), { threads }));
    expect(await load(2)).toEqual(await load(1));
  }
});

test('memory that is refused is gone on without, in one thread, with all that was read', async () => {
  const reasons: string[] = [];
  for (const refuse of [() => true, (mostBytes: number) => mostBytes < 60 * mebibyte]) {
    watchMemories(refuse);
    using model = await susurrus.loadModel<'whisper'>(modelPath, { threads: 4 });
    expect(model.info.threads).toBe(1);
    reasons.push(model.info.threadsReason);
    expect((await model.decode(samples)).text.trim()).toBe(sampleText);
  }
  for (const reason of reasons) {
    expect(reason).toMatch(/^threads did not start: .*no such memory here/);
  }
});

test('where the memory turns out too small, the error says what to do', async () => {
  const compiled = await WebAssembly.compile(
    readFileSync(join(projectRoot, 'dist/engine.simd-threads.wasm')),
  );
  const host = new EngineHost((_variant, threads) =>
    openForThreads(createThreadsEngine, compiled, threads, () => ({
      ready: Promise.resolve(),
      end: () => undefined,
    })),
  );
  const engine: EngineLink = openInProcess(host);
  await engine.call('start', { variant: 'simd', threads: 1 });
  const large = writeApr2(
    tinyWhisper({ dims: { ...tinyDims, n_audio_state: 512, n_text_state: 512 } }),
  );
  const beginFile = { byteCount: large.length, vocabulary: undefined, filterbank: undefined };
  await engine.call('beginFile', beginFile);
  const mostBytes = await engine.call('pushHead', { bytes: large.subarray(0, 100_000) });
  expect(mostBytes).toBeGreaterThan(large.length);
  await engine.call('makeThreads', { mostBytes: large.length / 2 });
  await engine.call('beginFile', beginFile);
  const error = await errorOf(engine.call('pushLoad', { bytes: large }));
  expect(error).toMatchObject({ code: 'out_of_memory' });
  expect(String(error)).toMatch(/at most \d+ bytes: ask for fewer beams, or load .* threads: 1/);
  engine.close();
});
