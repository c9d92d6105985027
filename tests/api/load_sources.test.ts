import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ModelFamily, ModelSource, Progress } from '../../web/src/node.js';
import { openSource } from '../../web/src/sources/open_source.js';
import { smallApril, writeApril } from '../support/april_writer.js';
import { builtPackage } from '../support/built_package.js';
import { smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { collectGarbage } from '../support/collect_garbage.js';
import { errorOf, inPieces, modelBytes, modelPath } from '../support/embedded_model.js';
import { expectOneBar } from '../support/one_bar.js';
import { asFiles, tinyShards } from '../support/sharded_model.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
let susurrus: Package;
let server: Server;
let address: string;
let requestCount = 0;
const bytes = modelBytes();

const answers: Record<string, (response: ServerResponse) => void> = {
  '/model.apr': (response) => {
    response.writeHead(200, { 'Content-Length': bytes.length });
    response.end(bytes);
  },
  '/no-length.apr': (response) => {
    response.writeHead(200);
    response.write(bytes.subarray(0, 100_000));
    response.end(bytes.subarray(100_000));
  },
  '/gzip.apr': (response) => {
    const packed = gzipSync(bytes);
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': packed.length });
    response.end(packed);
  },
  '/page.apr': (response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end('<!doctype html><title>Not here</title>');
  },
  '/broken.apr': (response) => {
    response.writeHead(200, { 'Content-Length': bytes.length });
    response.write(bytes.subarray(0, 300_000), () => response.destroy());
  },
  '/slow.apr': (response) => {
    response.writeHead(200, { 'Content-Length': bytes.length });
    response.write(bytes.subarray(0, 1000)); // and then nothing for ever
  },
};

beforeAll(async () => {
  susurrus = await builtPackage();
  server = createServer((request, response) => {
    ++requestCount;
    const answer = answers[request.url ?? ''];
    if (answer) answer(response);
    else response.writeHead(404, { 'Content-Type': 'text/plain' }).end('not found');
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Loads, and proves with a computation that the weights are there. */
async function loads(source: ModelSource): Promise<number> {
  const model = await susurrus.loadModel<'whisper'>(source, { variant: 'simd' });
  try {
    expect(model.info.dims.nVocab).toBe(1776);
    const nFrames = 2 * model.info.dims.nAudioCtx;
    const data = new Float32Array(80 * nFrames).fill(-1);
    const states = await model.encode({ data, nMels: 80, nFrames });
    return states.reduce((sum, value) => sum + Math.abs(value), 0);
  } finally {
    model.dispose();
  }
}

describe('a model loads from', () => {
  let like: number;
  beforeAll(async () => {
    like = await loads('digits');
  });

  test('the package itself, by default', () => {
    expect(like).toBeGreaterThan(1);
  });

  const sources: Record<string, () => ModelSource> = {
    'a path': () => modelPath,
    'a file URL': () => pathToFileURL(modelPath),
    'the text of a file URL': () => pathToFileURL(modelPath).href,
    'an http URL': () => `${address}/model.apr`,
    'a URL object': () => new URL(`${address}/model.apr`),
    'an http URL without a length': () => `${address}/no-length.apr`,
    'a compressed response': () => `${address}/gzip.apr`,
    'a Request': () => new Request(`${address}/model.apr`),
    'a Response': () => new Response(bytes),
    'a Blob': () => new Blob([bytes]),
    'an ArrayBuffer': () => bytes.slice().buffer,
    'a Uint8Array within a larger buffer': () => {
      const larger = new Uint8Array(bytes.length + 13);
      larger.set(bytes, 7);
      return larger.subarray(7, 7 + bytes.length);
    },
    'a ReadableStream': () => new Blob([bytes]).stream(),
    'an async iterable': () => inPieces(bytes, 65_537),
    'an async iterable of small pieces': () => inPieces(bytes, 997),
  };
  test.each(Object.keys(sources))('%s', async (name) => {
    expect(await loads(sources[name]!())).toBe(like);
  });

  test('bytes of the caller, which stay as they were', async () => {
    const mine = bytes.slice();
    await loads(mine);
    expect(Buffer.from(mine).equals(bytes)).toBe(true);
  });
});

test('a response is still read when it was collected before, as Node ends those', async () => {
  const platform = { openPath: () => Promise.resolve(undefined) };
  const { chunks } = await openSource(`${address}/model.apr`, platform, undefined);
  for (let i = 0; i < 5; ++i) {
    collectGarbage();
    await pause(10);
  }
  let byteCount = 0;
  for await (const chunk of chunks) byteCount += chunk.length;
  expect(byteCount).toBe(bytes.length);
});

describe('progress', () => {
  test('counts bytes to the end where the length is known', async () => {
    const events: Progress[] = [];
    const onProgress = (event: Progress) => void events.push(event);
    (await susurrus.loadModel<'whisper'>(`${address}/model.apr`, { onProgress })).dispose();
    const loads = events.filter(({ phase }) => phase === 'load');
    expect(loads.length).toBeGreaterThan(2);
    expect(loads[0]).toMatchObject({ loaded: 0, total: bytes.length, fraction: 0 });
    expect(loads.at(-1)).toMatchObject({ loaded: bytes.length, fraction: 1 });
    expect(loads.every((event, i) => i === 0 || event.loaded >= loads[i - 1]!.loaded)).toBe(true);
    expectOneBar(events);
  });

  test('43: with a callback nothing is fetched twice', async () => {
    const before = requestCount;
    let events = 0;
    const onProgress = () => {
      ++events;
    };
    (await susurrus.loadModel<'whisper'>(`${address}/model.apr`, { onProgress })).dispose();
    expect(events).toBeGreaterThan(2);
    expect(requestCount - before).toBe(1);
  });

  test('has no total where nobody knows it', async () => {
    const events: Progress[] = [];
    const onProgress = (event: Progress) => void events.push(event);
    (await susurrus.loadModel<'whisper'>(inPieces(bytes, 500_000), { onProgress })).dispose();
    expect(events.at(-1)?.loaded).toBe(bytes.length);
    expect(events.some((event) => 'total' in event || 'fraction' in event)).toBe(false);
    expectOneBar(events);
    expect(events.slice(0, -1).every(({ overall }) => overall < 1)).toBe(true);
  });

  test('stops the load if its last report throws, too', async () => {
    const thrown = new Error('at the end');
    const onProgress = ({ overall }: Progress): void => {
      if (overall === 1) throw thrown;
    };
    for (const early of [false, true]) {
      const source = inPieces(bytes, 500_000);
      const loads = async (): Promise<void> => {
        using model = await susurrus.loadModel<'whisper'>(source, { onProgress, early });
        await model.loaded;
      };
      await expect(loads()).rejects.toBe(thrown);
    }
  });
});

describe('a source that fails', () => {
  const failing: Record<string, [source: () => ModelSource, code: string, says: RegExp]> = {
    'an absent path': [() => '/no/such/file.apr', 'source_failed', /no such file/],
    'a folder': [() => import.meta.dirname, 'source_failed', /folder/],
    'HTTP 404': [() => `${address}/none`, 'source_failed', /404.*text\/plain/],
    'a web page': [() => `${address}/page.apr`, 'source_failed', /page\.apr.*text\/html/],
    'a connection that breaks off': [
      () => `${address}/broken.apr`,
      'source_failed',
      /broken\.apr: reading it failed after [\d.]+ of [\d.]+ [kM]B/,
    ],
    'a server that is not there': [() => 'http://127.0.0.1:1/x', 'source_failed', /127\.0\.0\.1:1/],
    'an iterable that throws': [
      async function* () {
        yield bytes.slice(0, 1000);
        await Promise.resolve();
        throw new Error('my disk is gone');
      },
      'source_failed',
      /./,
    ],
    'an iterable of something else': [
      async function* () {
        await Promise.resolve();
        yield 'text' as unknown as Uint8Array;
      },
      'source_failed',
      /bytes/,
    ],
    'no source at all': [() => 5 as unknown as ModelSource, 'invalid_argument', /source/],
    'an empty file': [() => new Uint8Array(), 'truncated_input', /./],
    'half a file': [() => bytes.subarray(0, bytes.length >> 1), 'truncated_input', /./],
    text: [() => new Blob(['{"a": 1, "b": "a text file"}']), 'unknown_format', /./],
  };
  test.each(Object.keys(failing))('%s', async (name) => {
    const [source, code, says] = failing[name]!;
    const error = await errorOf(susurrus.loadModel<'whisper'>(source()));
    expect(error).toBeInstanceOf(susurrus.SusurrusError);
    expect(error).toMatchObject({ code });
    expect((error as Error).message).toMatch(says);
  });

  test('one flipped bit is a checksum error, and the next load works', async () => {
    const damaged = bytes.slice();
    damaged[damaged.length - 1000]! ^= 1;
    expect(await errorOf(susurrus.loadModel<'whisper'>(damaged))).toMatchObject({
      code: 'checksum_mismatch',
      details: { reason: 'checksum' },
    });
    expect(await loads(bytes)).toBeGreaterThan(1);
  });
});

describe('a family that was not asked for is rejected by the first bytes', () => {
  const heads: Record<string, [ModelFamily, Uint8Array]> = {
    whisper: ['whisper', bytes.subarray(0, 60_000)], // its metadata, which may name digests of pieces, is read whole
    '.april': ['transducer', writeApril(smallApril)],
    BW2L: ['acoustic', writeBw2l('small', smallBw2l)],
  };
  const families = ['whisper', 'transducer', 'acoustic'] as const;
  const cases = Object.keys(heads).flatMap((name) =>
    families.filter((family) => family !== heads[name]![0]).map((family) => [name, family]),
  ) as [string, ModelFamily][];

  test.each(cases)('%s, not %s', async (name, family) => {
    const [got, head] = heads[name]!;
    for (const options of [{}, { early: true }, { threads: 2 }]) {
      let isLeft = false;
      const source = async function* (): AsyncGenerator<Uint8Array> {
        try {
          yield* inPieces(head.slice(0, 64), 5);
          yield head.slice(64);
          throw new Error('it was read on');
        } finally {
          isLeft = true;
        }
      };
      const error = await errorOf(susurrus.loadModel(source(), { ...options, family }));
      expect(error).toMatchObject({
        code: 'unsupported_feature',
        details: { reason: 'model', subject: 'family', expected: family, got },
      });
      expect(isLeft).toBe(true);
    }
  });

  test('a manifest, before its shards', async () => {
    const manifest = asFiles(tinyShards()).slice(-1);
    expect(await errorOf(susurrus.loadModel(manifest, { family: 'acoustic' }))).toMatchObject({
      details: { subject: 'family', got: 'whisper' },
    });
  });

  test('what is no model is no family', async () => {
    for (const text of ['<!doctype html><title>Log in</title>', '{"a": 1, "b": "a text file"}']) {
      const loading = susurrus.loadModel(new Blob([text]), { family: 'acoustic' });
      expect(await errorOf(loading)).toMatchObject({ code: 'unknown_format' });
    }
  });
});

describe('the signal', () => {
  test('stops a load that waits for its source, at once', async () => {
    const controller = new AbortController();
    const reason = new Error('the user left');
    const load = susurrus.loadModel<'whisper'>(`${address}/slow.apr`, {
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(reason), 100);
    expect(await errorOf(load)).toBe(reason);
  });

  test('stops a load between two pieces, and closes the source', async () => {
    const controller = new AbortController();
    let isClosed = false;
    async function* source() {
      try {
        for await (const piece of inPieces(bytes, 100_000)) {
          yield piece;
          if (!controller.signal.aborted) controller.abort();
        }
      } finally {
        isClosed = true;
      }
    }
    const { signal } = controller;
    const error = await errorOf(susurrus.loadModel<'whisper'>(source(), { signal }));
    expect(error).toBe(signal.reason);
    await new Promise((done) => setTimeout(done, 10));
    expect(isClosed).toBe(true);
  });

  test('that is aborted already lets nothing begin', async () => {
    let isRead = false;
    async function* source() {
      isRead = true;
      await Promise.resolve();
      yield bytes;
    }
    const signal = AbortSignal.abort();
    expect(await errorOf(susurrus.loadModel<'whisper'>(source(), { signal }))).toBe(signal.reason);
    expect(isRead).toBe(false);
  });
});
