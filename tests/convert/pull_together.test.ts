// Pulls that meet, are stopped, or have callers that misbehave.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { LoadOptions, Progress } from '../../web/src/node.js';
import type { NodeDownloadedModel, NodeDownloadOptions } from '../../web/src/node_cache.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { writeHubFolder } from '../support/hub_folder.js';
import { startHub, type HubServer } from '../support/hub_server.js';
import { expectOneBar } from '../support/one_bar.js';
import { startPullProcess } from '../support/pull_process.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let package_: Package;
let folder = '';
let hub: HubServer;
const environment = { ...process.env };
const repository = 'openai/whisper-tiny.en';

beforeAll(async () => {
  package_ = await builtPackage();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'susurrus-pulls-'));
  const source = writeHubFolder(join(folder, 'source'));
  const names = readdirSync(source);
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(source, name))]));
  hub = await startHub({ repository, files });
  process.env = {
    ...environment,
    HF_ENDPOINT: hub.endpoint,
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
});
afterEach(async () => {
  jest.restoreAllMocks();
  process.env = { ...environment };
  await hub.close();
  rmSync(folder, { recursive: true });
});

const pull = (name = 'tiny.en', options: NodeDownloadOptions = {}): Promise<NodeDownloadedModel> =>
  package_.downloadModel(name, options);
const downloads = (): string[] => {
  const path = join(folder, 'cache/susurrus/downloads');
  const names = existsSync(path) ? readdirSync(path, { recursive: true }) : [];
  return names.map(String).filter((name) => name.endsWith('.part'));
};
/** Whether some bytes of the weights are here. */
const hasWeights = (): boolean =>
  downloads().some(
    (name) =>
      name.includes('model.safetensors.') &&
      statSync(join(folder, 'cache/susurrus/downloads', name)).size > 0,
  );
const weightRequests = (): string[] =>
  hub.requests.filter((request) => request.startsWith('/store/model.safetensors'));
const sequential = async (dtype: 'f16' | 'q8_0'): Promise<Buffer> => {
  const output = join(folder, `sequential.${dtype}`);
  await pull('tiny.en', { dtype, output });
  return readFileSync(output);
};

/** Same and other types and revisions; started so many milliseconds one after the other. */
const pairs = Array.from({ length: 20 }, (_, i) => {
  const [first, second] = [
    [`${repository}@main`, `${repository}@main`],
    ['tiny.en', 'tiny.en@v1'],
  ][i % 2] as [string, string];
  const dtypes = [
    ['f16', 'q8_0'],
    ['f16', 'f16'],
  ][Math.floor(i / 2) % 2] as ['f16', 'f16' | 'q8_0'];
  return { names: [first, second], dtypes, delay: 5 * (i % 7) };
});

describe('two pulls of one repository give what they give one after the other', () => {
  const outputs = ['one.apr', 'two.apr'].map((name) => () => join(folder, name));
  async function runPairs(pulls: readonly (typeof pull)[]): Promise<void> {
    const expected = { f16: await sequential('f16'), q8_0: await sequential('q8_0') };
    hub.faults.pauses = 2;
    for (const { names, dtypes, delay } of pairs) {
      const each = pulls.map(async (one, i) => {
        await pause(i * delay);
        const output = outputs[i]?.() ?? '';
        const dtype = dtypes[i] ?? 'f16';
        await one(names[i], { dtype, output, force: true });
        return readFileSync(output).equals(expected[dtype]);
      });
      expect(await Promise.all(each)).toEqual([true, true]);
    }
    expect(downloads()).toEqual([]);
  }

  test('in one process', () => runPairs([pull, pull]));

  test('in two processes', async () => {
    const children = [0, 1].map(() => startPullProcess(process.env));
    try {
      await runPairs(
        children.map((child) => async (name = '', options = {}) => {
          expect(await child.pull(name, options)).toBeUndefined();
          return { path: '' } as NodeDownloadedModel;
        }),
      );
    } finally {
      for (const child of children) await child.kill();
    }
  });

  test('into the cache, under one name', async () => {
    const expected = await sequential('q8_0');
    hub.faults.pauses = 2;
    for (const { delay } of pairs) {
      const again = { force: true };
      const both = [pull('tiny.en', again), pause(delay).then(() => pull('tiny.en', again))];
      for (const { path } of await Promise.all(both)) {
        expect(readFileSync(path).equals(expected)).toBe(true);
      }
    }
    expect(readdirSync(join(folder, 'cache/susurrus/models'))).toHaveLength(1);
    expect(downloads()).toEqual([]);
  });
});

describe('calls of one process for one model', () => {
  const load = async (options: LoadOptions = {}): Promise<string> => {
    using model = await package_.loadModel<'whisper'>('tiny.en', options);
    return model.info.dtypes.join();
  };
  const isFar = ({ phase, loaded, total = 0 }: Progress): boolean =>
    phase === 'download' && total > 20_000 && loaded > 10_000;
  /** Does something once, when a part of the weights is here. */
  const whenFar = (act: () => void): ((event: Progress) => void) => {
    let isDone = false;
    return (event) => {
      if (isDone || !isFar(event)) return;
      isDone = true;
      act();
    };
  };
  beforeEach(() => {
    hub.faults.pauses = 30;
  });

  test('share a download, of which each hears', async () => {
    const heard: Progress[][] = [[], [], []];
    const hears = (i: number): ((event: Progress) => void) => {
      return (event) => heard[i]?.push(event);
    };
    let late: Promise<string> | undefined;
    const onProgress = whenFar(() => {
      late = load({ onProgress: hears(2) });
    });
    const both = [0, 1].map((i) =>
      pull('tiny.en', {
        onProgress: (event) => {
          hears(i)(event);
          onProgress(event);
        },
      }),
    );
    const [one, two] = await Promise.all(both);
    expect(two).toEqual(one);
    expect(one).toMatchObject({ alreadyKept: false, source: repository });
    expect(await late).toContain('q8_0');
    expect(weightRequests()).toEqual(['/store/model.safetensors']);
    for (const events of heard) {
      expect(events.at(-1)).toMatchObject({ overall: 1 });
      expect(events.some(isFar)).toBe(true);
      expectOneBar(events);
    }
  });

  test('but for other types, revisions and hubs download for themselves', async () => {
    await Promise.all([pull(), pull('tiny.en', { dtype: 'f16' }), pull('tiny.en@v1')]);
    expect(weightRequests()).toHaveLength(3);
  });

  test('end with the last one: the abort, error or family of one is no other’s', async () => {
    const [first, last] = [new AbortController(), new AbortController()];
    const mine = new Error('mine');
    const fails = whenFar(() => {
      throw mine;
    });
    const ends = errorOf(
      pull('tiny.en', {
        signal: last.signal,
        onProgress: whenFar(() => first.abort('enough')),
      }),
    );
    const others = [
      load({ signal: first.signal }),
      pull('tiny.en', { onProgress: fails }),
      load({ family: 'acoustic' }),
    ].map(errorOf);
    expect(await others[0]).toBe('enough');
    expect(await others[1]).toBe(mine);
    expect(await others[2]).toMatchObject({ details: { subject: 'family' } });
    hub.faults.pauses = 1e6;
    last.abort();
    // It comes while the other puts away what it has.
    const next = new AbortController();
    const again = errorOf(pull('tiny.en', { signal: next.signal }));
    expect(await ends).toBe(last.signal.reason);
    while (weightRequests().length < 2) await pause(2);
    next.abort('enough');
    expect(await again).toBe('enough');
    expect(weightRequests()).toEqual([
      '/store/model.safetensors',
      expect.stringMatching(/ bytes=[1-9]\d+-$/),
    ]);
    expect(await package_.listModels('tiny.en')).toEqual([]);
  });

  test('fail together, and the next call begins anew', async () => {
    hub.faults.corrupts = true;
    for (const failure of await Promise.all([pull(), load(), pull()].map(errorOf))) {
      expect(failure).toMatchObject({ code: 'checksum_mismatch' });
    }
    expect(weightRequests()).toHaveLength(1);
    hub.faults.corrupts = false;
    await pull();
  });
});

test('another process that pulls into the cache puts the same file in place', async () => {
  const expected = await sequential('q8_0');
  const child = startPullProcess(process.env);
  try {
    for (const isChildFirst of [true, false]) {
      hub.faults.pauses = 20;
      const both = [() => child.pull('tiny.en', { force: true }), () => pull('tiny.en')];
      if (!isChildFirst) both.reverse();
      const first = both[0]!();
      while (!hasWeights()) await pause(2);
      hub.faults.pauses = 0;
      const results = await Promise.all([first, both[1]!()]);
      expect(results[isChildFirst ? 0 : 1]).toBeUndefined();
      const models = join(folder, 'cache/susurrus/models');
      const [name = '', ...others] = readdirSync(models);
      expect(others).toEqual([]);
      expect(readFileSync(join(models, name)).equals(expected)).toBe(true);
      await package_.deleteModel('tiny.en');
    }
  } finally {
    await child.kill();
  }
});

describe('what a pull left', () => {
  test('whose process was killed is gone on with, once that process is gone', async () => {
    const expected = await sequential('q8_0');
    hub.faults.pauses = 1e6;
    const before = hub.requests.length;
    const child = startPullProcess(process.env);
    const killed = child.pull('tiny.en', {});
    while (!hasWeights()) await pause(5);
    hub.faults.pauses = 0;
    // It is running, so what it has is its own.
    const { path } = await pull('tiny.en', { dtype: 'q8_0' });
    expect(path).toMatch(/q8_0/);
    await child.kill();
    expect(await killed).toBe('killed');
    expect(hasWeights()).toBe(true);
    const { path: resumed } = await pull('tiny.en', { force: true });
    expect(readFileSync(resumed).equals(expected)).toBe(true);
    const requests = hub.requests.slice(before).filter((request) => request.startsWith('/store/'));
    expect(requests).toEqual([
      '/store/model.safetensors',
      '/store/model.safetensors',
      expect.stringMatching(/ bytes=[1-9]\d+-$/),
    ]);
    expect(downloads()).toEqual([]);
  });

  /** Stops a pull in the middle of its weights, and returns the path of their part. */
  async function stopped(): Promise<string> {
    hub.faults.cuts = Array.from({ length: 3 }, () => 3000);
    hub.faults.pauses = 5;
    const controller = new AbortController();
    const onProgress = ({ phase, loaded }: Progress): void => {
      if (phase === 'download' && loaded > 9000) controller.abort();
    };
    await errorOf(pull('tiny.en', { signal: controller.signal, onProgress }));
    const left = downloads().find((name) => name.includes('model.safetensors.')) ?? '';
    return join(folder, 'cache/susurrus/downloads', left);
  }

  (existsSync('/proc/self/stat') ? describe : describe.skip)('on Linux', () => {
    test('whose process has given its number to another is gone on with', async () => {
      const path = await stopped();
      // As a killed process with the number of this one would have left it: in a container, the one before.
      renameSync(path, path.replace(/\.0-\.(?=\w+\.part$)/, `.${process.pid}-1.`));
      expect(downloads().join()).toContain(`.${process.pid}-1.`);
      await pull();
      expect(weightRequests().at(-1)).toMatch(/ bytes=[1-9]\d+-$/);
      expect(downloads()).toEqual([]);
    });
  });

  test('is checked with the rest', async () => {
    const path = await stopped();
    const bytes = readFileSync(path);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(path, bytes);
    expect(await errorOf(pull())).toMatchObject({
      code: 'checksum_mismatch',
      details: { reason: 'digest', subject: 'model.safetensors' },
    });
    expect(downloads().filter((name) => name.includes('model.safetensors.'))).toEqual([]);
    await pull();
  });
});

describe('a pull that is stopped', () => {
  const reasons: Record<string, (controller: AbortController) => void> = {
    'without a reason': (controller) => controller.abort(),
    'as a timeout does': (controller) =>
      controller.abort(new DOMException('The operation timed out.', 'TimeoutError')),
    'with an Error': (controller) => controller.abort(new Error('mine')),
    'with a string': (controller) => controller.abort('enough'),
    'with undefined': (controller) => controller.abort(undefined),
    'with null': (controller) => controller.abort(null),
  };
  /** Where the pull is when it is stopped, and how the hub keeps it there. */
  const stages: Record<string, () => void> = {
    'while it waits for the list': () => (hub.faults.hangs = true),
    'while bytes arrive': () => (hub.faults.pauses = 1e6),
    'between two attempts': () => (hub.faults.refusals = Array.from({ length: 20 }, () => 500)),
  };
  /** Waits of a quarter of a second and more never end: who does not listen to the signal waits for ever. */
  function stopTime(): number[] {
    const waits: number[] = [];
    const { setTimeout: real } = globalThis;
    const slow = (act: () => void, milliseconds = 0): NodeJS.Timeout => {
      if (milliseconds < 250) return real(act, milliseconds);
      waits.push(milliseconds);
      return real(act, 1e9).unref();
    };
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(slow);
    return waits;
  }
  const isThere = (stage: string, waits: readonly number[]): boolean =>
    stage === 'while bytes arrive'
      ? hasWeights()
      : stage === 'between two attempts'
        ? waits.length > 0
        : hub.requests.length > 0;

  test.each(
    Object.keys(stages).flatMap((stage) => Object.keys(reasons).map((one) => [stage, one])),
  )('%s, %s, ends', async (stage = '', reason = '') => {
    const waits = stopTime();
    stages[stage]?.();
    const controller = new AbortController();
    const work = errorOf(pull('tiny.en', { signal: controller.signal }));
    while (!isThere(stage, waits)) await pause(2);
    const before = hub.requests.length;
    reasons[reason]?.(controller);
    expect(await work).toBe(controller.signal.reason);
    expect(hub.requests).toHaveLength(before);
  });

  test.each(Object.keys(stages))('%s, by AbortSignal.timeout(), ends', async (stage) => {
    stopTime();
    stages[stage]?.();
    const work = errorOf(pull('tiny.en', { signal: AbortSignal.timeout(60) }));
    expect(await work).toMatchObject({ name: 'TimeoutError' });
  });
});

test('a model by name of another family than was asked for is not pulled to its end', async () => {
  hub.faults.pauses = 20;
  expect(await errorOf(package_.loadModel('tiny.en', { family: 'acoustic' }))).toMatchObject({
    ...{ code: 'unsupported_feature', details: { subject: 'family', got: 'whisper' } },
  });
  expect(await package_.listModels('tiny.en')).toEqual([]);
  // What came is right, and gone on with.
  hub.faults.pauses = 0;
  await pull();
  const [first, ...others] = weightRequests();
  expect(first).toBe('/store/model.safetensors');
  // None, where the family was known before a weight had been kept.
  expect(others.slice(0, 1)).toEqual(others.map(() => expect.stringMatching(/ bytes=[1-9]\d+-$/)));
});

describe('what onProgress throws', () => {
  const isFar = ({ phase, loaded, total = 0 }: Progress): boolean =>
    phase === 'download' && total > 20_000 && loaded > 10_000;
  const isConverting = ({ phase, loaded }: Progress): boolean => phase === 'convert' && loaded > 0;
  const thrown: unknown[] = [
    new Error('mine'),
    Object.assign(new Error('mine'), { code: 'ECONNRESET' }),
    new DOMException('mine', 'AbortError'),
    'text',
    undefined,
  ];

  test.each(thrown)('rejects that call: %p', async (value) => {
    for (const isTime of [isFar, isConverting]) {
      let isThrown = false;
      let calls = 0;
      const onProgress = (event: Progress): void => {
        if (isThrown) ++calls;
        if (isThrown || !isTime(event)) return;
        isThrown = true;
        throw value;
      };
      expect(await errorOf(pull('tiny.en', { onProgress }))).toBe(value);
      expect(calls).toBe(0);
      expect(existsSync(join(folder, 'cache/susurrus/models/tiny.en.q8_0.apr'))).toBe(false);
    }
    await pull();
    // Nothing was asked for twice.
    const begins = weightRequests().map((request) =>
      Number(/bytes=(\d+)-/.exec(request)?.[1] ?? 0),
    );
    expect([...begins].sort((a, b) => a - b)).toEqual(begins);
    expect(begins.length).toBeLessThanOrEqual(3);
  });
});
