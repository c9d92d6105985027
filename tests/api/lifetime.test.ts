// Stopping, queueing, disposing, and what comes after a trap.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtPackage } from '../support/built_package.js';
import { errorOf, sampleAudio, sampleText } from '../support/embedded_model.js';
import { turns, turnsUntil } from '../support/turns.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const samples = sampleAudio();
/** Long enough that no test reaches its end. */
const long = new Float32Array(60 * samples.length);
for (let i = 0; i < 60; ++i) long.set(samples, i * samples.length);

describe('the signal of a transcription', () => {
  test('stops it at once, and the model goes on', async () => {
    using model = await susurrus.loadModel<'whisper'>('digits');
    const controller = new AbortController();
    const reason = new Error('enough');
    const work = model.transcribe(long, { signal: controller.signal });
    const ended = errorOf(work);
    await turns(5);
    controller.abort(reason);
    expect(await turnsUntil(ended)).toBeLessThanOrEqual(2);
    expect(await ended).toBe(reason);
    expect((await model.transcribe(samples)).text.trim()).toBe(sampleText);
  });

  test('refuses what waits in the queue, without waiting', async () => {
    using model = await susurrus.loadModel<'whisper'>('digits');
    const first = new AbortController();
    const running = errorOf(model.transcribe(long, { signal: first.signal }));
    const second = new AbortController();
    const waiting = errorOf(model.decode(samples, { signal: second.signal }));
    second.abort();
    expect(await waiting).toBe(second.signal.reason);
    first.abort();
    expect(await running).toBe(first.signal.reason);
  });

  test('leaving the loop stops the work', async () => {
    using model = await susurrus.loadModel<'whisper'>('digits');
    const work = model.transcribe(long);
    for await (const segment of work) {
      expect(segment.text).not.toBe('');
      break;
    }
    expect(await errorOf(work)).toMatchObject({ code: 'aborted' });
  });
});

describe('two calls at once', () => {
  test('come one after the other, in order', async () => {
    using model = await susurrus.loadModel<'whisper'>('digits');
    const order: string[] = [];
    const [whole, window, memory] = await Promise.all([
      model.transcribe(samples).finally(() => order.push('transcribe')),
      model.decode(samples).finally(() => order.push('decode')),
      model.memory().finally(() => order.push('memory')),
    ]);
    expect(order).toEqual(['transcribe', 'decode', 'memory']);
    expect(whole.text.trim()).toBe(sampleText);
    expect(window.text.trim()).toBe(sampleText);
    expect(memory.weightBytes).toBeGreaterThan(1e6);
  });

  test('a failed one does not hold up the next', async () => {
    using model = await susurrus.loadModel<'whisper'>('digits');
    const [bad, good] = await Promise.all([errorOf(model.logits([1])), model.decode(samples)]);
    expect(bad).toMatchObject({ code: 'wrong_state' });
    expect(good.text.trim()).toBe(sampleText);
  });

  test('two models work side by side', async () => {
    using one = await susurrus.loadModel<'whisper'>('digits');
    using two = await susurrus.loadModel<'whisper'>('digits');
    const results = await Promise.all([one.transcribe(samples), two.transcribe(samples)]);
    expect(results[0]).toEqual(results[1]);
  });
});

describe('dispose()', () => {
  test('aborts the work under way and refuses later calls', async () => {
    const model = await susurrus.loadModel<'whisper'>('digits');
    const running = errorOf(model.transcribe(long));
    await turns(5);
    model.dispose();
    model.dispose();
    expect(await running).toMatchObject({ code: 'aborted' });
    for (const call of [
      () => model.transcribe(samples),
      () => model.decode(samples),
      () => model.memory(),
      () => model.tokenizer.encode('a'),
    ]) {
      expect(await errorOf(call())).toMatchObject({ code: 'wrong_state' });
    }
  });

  test('is there for `await using` too', async () => {
    let kept;
    {
      await using model = await susurrus.loadModel<'whisper'>('digits');
      kept = model;
    }
    expect(await errorOf(kept.memory())).toMatchObject({ code: 'wrong_state' });
  });
});

describe('memory()', () => {
  test('states the plan, and nothing grows from one recording to the next', async () => {
    using model = await susurrus.loadModel<'whisper'>('digits');
    await model.transcribe(samples);
    const before = await model.memory();
    for (let i = 0; i < 3; ++i) await model.transcribe(samples);
    const after = await model.memory();
    expect(after.heapBytes).toBeLessThanOrEqual(before.heapBytes);
    expect(after.wasmBytes).toBe(before.wasmBytes);
    const planned = before.weightBytes + before.kvCacheBytes + before.activationBytes;
    expect(before.heapBytes).toBeGreaterThanOrEqual(planned);
    expect(before.heapBytes).toBeLessThan(planned + 2 ** 20);
    expect(before.wasmBytes).toBeGreaterThanOrEqual(before.heapPeakBytes);
  });
});

describe('a trap inside WebAssembly', () => {
  test('is an internal error, after which this model refuses and a new one works', async () => {
    const original = WebAssembly.instantiate;
    let isArmed = false;
    // Every function that the Emscripten module takes from the table traps once armed.
    WebAssembly.instantiate = (async (module: WebAssembly.Module, imports: WebAssembly.Imports) => {
      const { exports } = await original(module, imports);
      const wrap = (value: unknown): unknown =>
        value instanceof WebAssembly.Table
          ? {
              get: (index: number) => {
                const entry = value.get(index) as (...args: unknown[]) => unknown;
                return (...args: unknown[]): unknown => {
                  if (isArmed) throw new WebAssembly.RuntimeError('unreachable');
                  return entry(...args);
                };
              },
            }
          : value;
      const wrapped = Object.entries(exports).map(([name, value]) => [name, wrap(value)]);
      return { exports: Object.fromEntries(wrapped) as object };
    }) as unknown as typeof WebAssembly.instantiate;
    let model;
    try {
      model = await susurrus.loadModel<'whisper'>('digits');
    } finally {
      WebAssembly.instantiate = original;
    }
    expect((await model.decode(samples)).text.trim()).toBe(sampleText);
    isArmed = true;
    expect(await errorOf(model.decode(samples))).toMatchObject({ code: 'internal_error' });
    isArmed = false;
    const later = await errorOf(model.decode(samples));
    expect(later).toMatchObject({ code: 'wrong_state' });
    expect((later as Error).message).toContain('unreachable');
    model.dispose();
    using fresh = await susurrus.loadModel<'whisper'>('digits');
    expect((await fresh.decode(samples)).text.trim()).toBe(sampleText);
  });
});
