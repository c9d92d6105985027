// Engines with threads: the same results, and nothing left of them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hasSettledRelaxedSimd } from '../../scripts/toolchain/node_flags.mjs';
import {
  openSeveralThreads,
  type StartedThread,
  type ThreadOrder,
} from '../../web/src/engine/several_threads.js';
import { enterThread } from '../../web/src/engine/thread.js';
import { createThreadsEngine } from '../../web/src/engine/threads_module.js';
import type { LoadOptions, WhisperModel, ModelSource } from '../../web/src/node.js';
import { builtPackage } from '../support/built_package.js';
import {
  errorOf,
  modelBytes,
  modelPath,
  sampleAudio,
  samplePath,
  sampleText,
} from '../support/embedded_model.js';
import { pushAll } from '../support/engine_module.js';
import { testModel } from '../support/goldens_models.js';
import { limit } from '../support/limits.js';
import { describeWithShared, projectRoot, sharedFolder } from '../support/shared_folder.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const samples = sampleAudio();
// Each thread's code is optimised at its own time.
const variants = hasSettledRelaxedSimd() ? (['simd', 'relaxed'] as const) : (['simd'] as const);
const counts = [2, 3, 8];

const load = (source: ModelSource, options: LoadOptions): Promise<WhisperModel> =>
  susurrus.loadModel<'whisper'>(source, options);

/** What a model makes of the sample: every value of encoder and logits, and texts. */
async function outputsOf(model: WhisperModel): Promise<Record<string, unknown>> {
  const audio = await model.encode(await model.logMel(samples, { mode: 'window' }));
  const bits: Record<string, Buffer> = { audio: Buffer.from(audio.buffer) };
  // One row, few rows, many rows.
  for (const count of [1, 4, 70]) {
    const logits = await model.logits(Array.from({ length: count }, (_, i) => 10 + i));
    bits[`logits after ${count}`] = Buffer.from(logits.buffer);
  }
  const greedy = await model.transcribe(samples, { timestamps: 'word' });
  const beams = await model.decode(samples, { beamSize: 3 });
  return { ...bits, greedy, beams };
}

async function expectSameOutputs(source: ModelSource): Promise<void> {
  for (const variant of variants) {
    using alone = await load(source, { variant, threads: 1 });
    const expected = await outputsOf(alone);
    for (const threads of counts) {
      using model = await load(source, { variant, threads });
      expect(model.info).toMatchObject({ variant, threads, threadsReason: 'asked for' });
      const outputs = await outputsOf(model);
      for (const [name, value] of Object.entries(expected)) {
        const own = outputs[name];
        if (!Buffer.isBuffer(value)) expect(own).toEqual(value);
        // Not the values themselves: there are hundreds of thousands.
        else
          expect([variant, threads, name, value.compare(own as Buffer)]).toEqual([
            variant,
            threads,
            name,
            0,
          ]);
      }
    }
  }
}

describe('several threads', () => {
  test('give the bits of one: the embedded model', () => expectSameOutputs(modelPath));

  test('are one in Node where nobody asks for more, and as many as processors with auto', async () => {
    using one = await susurrus.loadModel<'whisper'>(modelPath, { threads: 1 });
    expect(one.info.threads).toBe(1);
    using auto = await load(modelPath, { threads: 'auto' });
    expect(auto.info.threads).toBe(Math.min(8, availableParallelism()));
    expect((await auto.decode(samples)).text.trim()).toBe(sampleText);
  });

  test.each([0, 9, 1.5, -1, 'many', null])('are not %p', async (threads) => {
    const error = await errorOf(load(modelPath, { threads: threads as number }));
    expect(error).toMatchObject({
      code: 'invalid_argument',
      details: { reason: 'option', subject: 'threads' },
    });
  });

  test('work in two engines at once, and while another model is loaded', async () => {
    using first = await load(modelPath, { threads: 2 });
    const working = first.transcribe(samples);
    using second = await load(modelPath, { threads: 3 });
    const texts = await Promise.all([working, second.transcribe(samples), first.decode(samples)]);
    expect(texts.map(({ text }) => text.trim())).toEqual([sampleText, sampleText, sampleText]);
  });

  test('are stopped by a signal, and go on with the next work', async () => {
    using model = await load(modelPath, { threads: 2 });
    const long = new Float32Array(60 * samples.length);
    for (let i = 0; i < 60; ++i) long.set(samples, i * samples.length);
    const controller = new AbortController();
    const work = errorOf(model.transcribe(long, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 300);
    expect(await work).toBe(controller.signal.reason);
    expect((await model.transcribe(samples)).text.trim()).toBe(sampleText);
  });

  test('share a memory that grows, of which the model tells', async () => {
    using model = await load(modelPath, { threads: 2 });
    await model.transcribe(samples);
    const memory = await model.memory();
    expect(memory.wasmBytes).toBeGreaterThan(memory.weightBytes + memory.activationBytes);
    expect(memory.heapBytes).toBeLessThan(memory.wasmBytes);
  });
});

/** The functions of a WebAssembly binary: how many groups of variables they declare, and their instructions. */
function* functionBodies(module: Buffer): Generator<Buffer> {
  const codeSection = 10;
  let at = 8;
  const number = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = module.readUInt8(at++);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < module.length) {
    const section = module.readUInt8(at++);
    const end = number() + at;
    for (let left = section === codeSection ? number() : 0; left > 0; --left) {
      const size = number();
      yield module.subarray(at, (at += size));
    }
    at = end;
  }
}

// See sleep.h: that the compiler does not take the function into another one again is seen here alone, since what then goes
// wrong in Node 20 depends on who waits for whom while code is new.
test.each(['simd', 'relaxed'])('who sleeps has no variables: %s', (variant) => {
  const module = readFileSync(join(projectRoot, `dist/engine.${variant}-threads.wasm`));
  const wait32 = Buffer.from([0xfe, 0x01, 0x02, 0x00]);
  const sleeping = [...functionBodies(module)].filter((body) => body.includes(wait32));
  expect(sleeping.map((body) => body.readUInt8(0))).toEqual([0, 0]);
});

describeWithShared(['golden'], 'several threads, goldens', () => {
  test('give the bits of one: f32 and q8_0 weights', async () => {
    await expectSameOutputs(await testModel('micro'));
    const folder = join(projectRoot, 'build/test-models');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'micro-q8_0-threads.apr');
    await susurrus.convertModel(join(sharedFolder, 'golden/models/micro'), path, {
      ...{ dtype: 'q8_0', force: true },
      vocabulary: join(sharedFolder, 'golden/tokenizer/multilingual.tiktoken'),
    });
    await expectSameOutputs(path);
  });
});

describe('after the work', () => {
  /** Threads of this process as the system counts them. */
  const systemThreads = (): number => readdirSync('/proc/self/task').length;
  const onLinux = existsSync('/proc/self/task') ? describe : describe.skip;
  /** How many there are once no more than `count` are left, or after five seconds. */
  const settledThreads = async (count: number): Promise<number> => {
    for (let i = 0; i < 100 && systemThreads() > count; ++i) {
      await new Promise((done) => setTimeout(done, 50));
    }
    return systemThreads();
  };

  onLinux('in this process', () => {
    test('disposing of the model ends its threads, also of a load that was stopped', async () => {
      (await load(modelPath, { threads: 8 })).dispose(); // whatever Node itself starts, it starts now
      await new Promise((done) => setTimeout(done, 500));
      const before = systemThreads();
      const model = await load(modelPath, { threads: 8 });
      expect(systemThreads()).toBeGreaterThanOrEqual(before + 7);
      await model.decode(samples);
      model.dispose();
      expect(await settledThreads(before)).toBeLessThanOrEqual(before);

      for (const milliseconds of [0, 20, 60]) {
        const controller = new AbortController();
        const stopped = load(modelPath, { threads: 8, signal: controller.signal }).then(
          (loaded) => loaded.dispose(),
          () => undefined,
        );
        setTimeout(() => controller.abort(), milliseconds);
        await stopped;
      }
      expect(await settledThreads(before)).toBeLessThanOrEqual(before);
    });
  });

  test.each([true, false])('a program ends by itself (disposed of: %p)', (disposes) => {
    const folder = join(projectRoot, 'build/test-models');
    mkdirSync(folder, { recursive: true });
    const program = join(folder, `threads-${process.pid}-${disposes}.mjs`);
    writeFileSync(
      program,
      `import { readFileSync } from 'node:fs';
       import { loadModel } from ${JSON.stringify(pathToFileURL(join(projectRoot, 'dist/node.mjs')).href)};
       const model = await loadModel('digits', { threads: 4 });
       const { text } = await model.transcribe(readFileSync(${JSON.stringify(samplePath)}));
       if (${disposes}) model.dispose();
       console.log(text.trim());`,
    );
    const output = execFileSync(process.execPath, [program], {
      encoding: 'utf8',
      timeout: limit(50_000),
    });
    expect(output.trim()).toBe(sampleText);
  });
});

test('a thread that breaks off breaks the engine instead of keeping it waiting', async () => {
  const compiled = await WebAssembly.compile(
    readFileSync(join(projectRoot, 'dist/engine.simd-threads.wasm')),
  );
  const brokenThread = (order: ThreadOrder): StartedThread => {
    // There is no function 0, which a trap within a slice is like.
    const serve = enterThread({ ...order, start: { ...order.start, serve: 0 } });
    expect(serve).toThrow();
    return { ready: Promise.resolve(), end: () => undefined };
  };
  const opened = await openSeveralThreads(createThreadsEngine, compiled, 2, brokenThread, 2 ** 28);
  const { module } = opened;
  const loader = new module.Loader();
  expect(pushAll(loader, modelBytes())).toBeUndefined();
  expect(loader.finish()).toBe('');
  const model = new module.Model();
  expect(model.create(loader)).toBe('');
  model.beginEncode();
  expect(() => {
    while (!model.encodeStep(10));
  }).toThrow(WebAssembly.RuntimeError);
});
