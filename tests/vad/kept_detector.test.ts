// The detector of a model is started once, and shared by its transcriptions and streams, none of which knows of another.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import type {
  LoadOptions,
  LiveTranscription,
  PlanOptions,
  WhisperModel,
} from '../../web/src/api/types.js';
import { joined } from '../../web/src/api/joined.js';
import { EngineHost } from '../../web/src/engine/engine_host.js';
import { openSingleThread } from '../../web/src/engine/single_thread.js';
import { loadModelOn } from '../../web/src/model/load_model.js';
import { openNetworksHost } from '../../web/src/networks/fetched_networks.js';
import type { NetworksHost, NetworksModule } from '../../web/src/networks/networks_host.js';
import { node } from '../../web/src/node_platform.js';
import type { EngineCalls, EngineEvent } from '../../web/src/protocol/engine.js';
import type { NetworksLink } from '../../web/src/protocol/networks.js';
import { openInProcess } from '../../web/src/worker/in_process.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelBytes, sampleAudio } from '../support/embedded_model.js';
import { projectRoot } from '../support/shared_folder.js';
import { turns } from '../support/turns.js';

const bytesOf = (name: string) => readFileSync(join(projectRoot, `dist/${name}.wasm`));
const engines = new Map<string, Promise<WebAssembly.Module>>();
const readModule = (name: string): Promise<WebAssembly.Module> => {
  const engine = engines.get(name) ?? WebAssembly.compile(bytesOf(name));
  engines.set(name, engine);
  return engine;
};
/** Node fetches no files, but what is in an address. */
const inAddress = (name: string) =>
  [`${name}.wasm`, `data:application/wasm;base64,${bytesOf(name).toString('base64')}`] as const;
const networks = Object.fromEntries(['networks.simd', 'networks.relaxed'].map(inAddress));

/** A detector that was started, and what became of it. */
interface Started {
  isClosed: boolean;
  /** Recordings that it has. */
  recordings: Set<number>;
  /** Instead of the answer to a call. */
  fail: ((name: string) => Error | undefined) | undefined;
}

type Hold = (name: string) => Promise<void> | undefined;

const models: WhisperModel[] = [];
afterEach(() => models.splice(0).forEach((model) => model.dispose()));

/** A model, the detectors that were started for it, their hosts, and what its detectors wait for. */
async function watchedModel(options: LoadOptions = {}) {
  const detectors: Started[] = [];
  const hosts: NetworksHost[] = [];
  const gates: { hold: Hold | undefined; start: Error | undefined } = {
    ...{ hold: undefined, start: undefined },
  };
  const openNetworks = (): NetworksLink => {
    const started: Started = { isClosed: false, recordings: new Set(), fail: undefined };
    detectors.push(started);
    const host = openNetworksHost(networks);
    hosts.push(host);
    const link: NetworksLink = openInProcess(host);
    return {
      async call(name, request, call) {
        await gates.hold?.(name);
        const error = started.fail?.(name) ?? (name === 'start' ? gates.start : undefined);
        if (error) throw error;
        const answer = await link.call(name, request, call);
        if (name === 'beginSpeech') started.recordings.add(answer as number);
        if (name === 'endSpeech') started.recordings.delete((request as { id: number }).id);
        return answer;
      },
      close() {
        started.isClosed = true;
        link.close();
      },
    };
  };
  const platform = {
    ...node,
    openDetector: openNetworks,
    vadModel: pathToFileURL(join(projectRoot, 'models/vad.tsm')),
    compileFiles: () => readModule('files'),
    openEngine: () =>
      openInProcess<EngineCalls, EngineEvent>(
        new EngineHost(async (variant) => openSingleThread(await readModule(`engine.${variant}`))),
      ),
  };
  const model = await loadModelOn(platform, modelBytes(), { threads: 1, ...options });
  models.push(model as WhisperModel);
  return { model: model as WhisperModel, detectors, hosts, gates };
}

/** A digit or two, and others. */
const sample = sampleAudio();
const short = sample.subarray(0, 20000);
const other = sample.subarray(48000, 80000);
/** Speech, a pause, speech. */
const paused = joined([short, new Float32Array(3 * 16000), short], Float32Array);

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await turns(1);
};

async function textOf(stream: LiveTranscription, samples: Float32Array): Promise<string> {
  const reading = (async () => {
    let text = '';
    for await (const event of stream) if (event.type === 'final') text += event.text;
    return text;
  })();
  await stream.feed(samples);
  await stream.close();
  return reading;
}

test('three transcriptions and a stream start one, and leave nothing in it', async () => {
  const { model, detectors } = await watchedModel();
  const first = await model.transcribe(paused);
  expect(first.segments.length).toBeGreaterThan(0);
  await model.transcribe(other, { vad: { threshold: 0.9 } });
  await textOf(model.stream(), short);
  expect(await model.transcribe(paused)).toEqual(first);
  await turns(2);
  expect(detectors).toEqual([{ isClosed: false, recordings: new Set(), fail: undefined }]);
});

test('own limits after the defaults are those of the call alone', async () => {
  const { model } = await watchedModel();
  const { model: fresh } = await watchedModel();
  const own = { vad: { minSilenceDuration: 0.2, speechPad: 0.05 }, timestamps: 'word' } as const;
  const plain = await model.transcribe(paused, { timestamps: 'word' });
  const limited = await model.transcribe(paused, own);
  expect(limited).toEqual(await fresh.transcribe(paused, own));
  expect(limited).not.toEqual(plain);
  expect(await model.transcribe(paused, { timestamps: 'word' })).toEqual(plain);
});

test('a transcription and two streams at once share it, and each hears its own sound', async () => {
  const { model: fresh } = await watchedModel();
  const alone = [
    (await fresh.transcribe(paused)).text,
    await textOf(fresh.stream(), short),
    await textOf(fresh.stream(), other),
  ];
  expect(new Set(alone).size).toBe(3);
  const { model, detectors } = await watchedModel();
  const together = await Promise.all([
    model.transcribe(paused).then(({ text }) => text),
    textOf(model.stream(), short),
    textOf(model.stream(), other),
  ]);
  expect(together).toEqual(alone);
  expect(detectors).toHaveLength(1);
});

test.each<[string, PlanOptions, (model: WhisperModel) => Promise<unknown>]>([
  ['a transcription', {}, (model) => model.transcribe(paused)],
  ['a stream', {}, (model) => textOf(model.stream(), paused)],
  [
    'a stream that is heard again',
    { revise: true },
    (model) => textOf(model.stream({ revise: true }), paused),
  ],
])('with %s it takes what plan() says', async (_, options, use) => {
  const { plan } = await builtPackage();
  const { detectorBytes, peakBytes } = await plan(modelBytes(), options);
  const bare = await plan(modelBytes(), { ...options, vad: false });
  expect([bare.detectorBytes, peakBytes - bare.peakBytes]).toEqual([0, detectorBytes]);
  const { model, hosts } = await watchedModel();
  await use(model);
  expect(hosts).toHaveLength(1);
  const opened = Reflect.get(hosts[0]!, 'opened') as NetworksModule;
  const { byteLength } = opened.HEAPU8 as Uint8Array;
  const taken = byteLength + statSync(join(projectRoot, 'models/vad.tsm')).size;
  expect(detectorBytes).toBeGreaterThanOrEqual(taken);
  expect(detectorBytes - taken).toBeLessThan(2 ** 20);
});

describe('it ends', () => {
  test('with the model', async () => {
    const { model, detectors } = await watchedModel();
    await model.transcribe(short);
    expect(detectors[0]?.isClosed).toBe(false);
    model.dispose();
    model.dispose();
    expect(detectors.map(({ isClosed }) => isClosed)).toEqual([true]);
  });

  test.each(['start', 'beginSpeech', 'hearSpeech'])(
    'with a model that is disposed of during %s, and is not started again',
    async (held) => {
      const { model, detectors, gates } = await watchedModel();
      let release!: () => void;
      let isReached = false;
      const gate = new Promise<void>((done) => (release = done));
      gates.hold = (name) => (name === held ? ((isReached = true), gate) : undefined);
      const failed = errorOf(model.transcribe(short));
      await until(() => isReached);
      model.dispose();
      release();
      expect(await failed).toMatchObject({ details: { subject: 'model' } });
      await turns(5);
      expect(detectors.map(({ isClosed }) => isClosed)).toEqual([true]);
      expect(model.info.warnings).toEqual([]);
    },
  );

  test('when the model sleeps; the next call starts another', async () => {
    const { model, detectors } = await watchedModel({ autoSleep: 0.001 });
    const { text } = await model.transcribe(short);
    for (const count of [1, 2]) {
      while (!model.asleep) await new Promise((done) => setTimeout(done, 1));
      expect(detectors.map(({ isClosed }) => isClosed)).toEqual(Array(count).fill(true));
      expect((await model.transcribe(short)).text).toBe(text);
    }
    expect(detectors).toHaveLength(3);
  });
});

describe('what ends one transcription is nothing to the next', () => {
  test.each<[string, unknown]>([
    ['start', 0],
    ['beginSpeech', undefined],
    ['hearSpeech', new Error('enough')],
  ])('an abort during %s, with any reason', async (held, reason) => {
    const { model, detectors, gates } = await watchedModel();
    let release!: () => void;
    let isReached = false;
    const gate = new Promise<void>((done) => (release = done));
    gates.hold = (name) => (name === held ? ((isReached = true), gate) : undefined);
    const controller = new AbortController();
    const failed = errorOf(model.transcribe(paused, { signal: controller.signal }));
    await until(() => isReached);
    controller.abort(reason);
    controller.abort('twice');
    gates.hold = undefined;
    release();
    expect(await failed).toBe(controller.signal.reason);
    const { text } = await model.transcribe(short);
    expect(text.trim()).not.toBe('');
    await turns(2);
    const left = detectors.filter(({ isClosed }) => !isClosed);
    expect(left).toEqual([{ isClosed: false, recordings: new Set(), fail: undefined }]);
    expect(detectors).toHaveLength(held === 'start' ? 2 : 1);
    expect(model.info.warnings).toEqual([]);
  });

  test('an abort while another waits for the same start', async () => {
    const { model, detectors, gates } = await watchedModel();
    let release!: () => void;
    const gate = new Promise<void>((done) => (release = done));
    gates.hold = (name) => (name === 'start' ? gate : undefined);
    const controller = new AbortController();
    const failed = errorOf(model.transcribe(paused, { signal: controller.signal }));
    await until(() => detectors.length > 0);
    const stream = textOf(model.stream(), short);
    await turns(5);
    controller.abort();
    expect(await failed).toBe(controller.signal.reason);
    release();
    expect((await stream).trim()).not.toBe('');
    expect(detectors).toHaveLength(1);
  });

  test('a callback that throws, a loop that is left, sound that is no sound', async () => {
    const { model, detectors } = await watchedModel();
    const { text } = await model.transcribe(short);
    const boom = new Error('boom');
    const onProgress = (): never => {
      throw boom;
    };
    expect(await errorOf(model.transcribe(short, { onProgress }))).toBe(boom);
    const left = model.transcribe(paused);
    for await (const segment of left) {
      expect(segment.text).not.toBe('');
      break;
    }
    expect(await errorOf(left)).toMatchObject({ code: 'aborted' });
    const bad = errorOf(model.transcribe(Float32Array.of(0, NaN)));
    expect(await bad).toMatchObject({ code: 'invalid_argument' });
    expect((await model.transcribe(short)).text).toBe(text);
    await turns(2);
    expect(detectors).toEqual([{ isClosed: false, recordings: new Set(), fail: undefined }]);
  });
});

describe('it is started again', () => {
  const crash = new Error('The worker crashed.');

  test('when it was lost while nothing was under way; the call does not notice', async () => {
    const { model, detectors } = await watchedModel();
    const { text } = await model.transcribe(short);
    detectors[0]!.fail = () => crash;
    expect((await model.transcribe(short, { vad: true })).text).toBe(text);
    expect((await model.transcribe(short)).text).toBe(text);
    expect(detectors.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    expect(model.info.warnings).toEqual([]);
  });

  test('when it was lost during a recording, which fails; a stream that has it may end', async () => {
    const { model, detectors } = await watchedModel();
    const stream = model.stream();
    await stream.feed(short);
    const [first] = detectors;
    first!.fail = (name) => (name === 'hearSpeech' ? crash : undefined);
    expect(await errorOf(model.transcribe(short))).toBe(crash);
    first!.fail = undefined;
    expect((await model.transcribe(short)).text.trim()).not.toBe('');
    expect(detectors.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    await stream.close();
    await turns(2);
    expect(detectors.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  test('when its load failed for a call that had asked for it', async () => {
    const { model, detectors, gates } = await watchedModel();
    gates.start = crash;
    expect(await errorOf(model.transcribe(short, { vad: true }))).toBe(crash);
    expect(await errorOf(model.transcribe(short, { vad: true }))).toBe(crash);
    gates.start = undefined;
    expect((await model.transcribe(short, { vad: true })).text.trim()).not.toBe('');
    expect(detectors.map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
  });
});
