// What runs on a page's own thread is cut into steps: counted in turns of the event loop, never in milliseconds.
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { wholeSamples } from '../../web/src/audio/audio_feed.js';
import { checkAudio } from '../../web/src/audio/audio_kinds.js';
import type { EngineCalls, EngineEvent, EngineLink } from '../../web/src/protocol/engine.js';
import type { AudioInput } from '../../web/src/api/types.js';
import type { FromWorker, ToWorker } from '../../web/src/protocol/link.js';
import { node } from '../../web/src/node_platform.js';
import type { OpenedSource } from '../../web/src/platform/platform.js';
import { memoryFolder } from '../../web/src/sources/blob_folder.js';
import { openProtected } from '../../web/src/sources/protected_source.js';
import { readVocabularyFile } from '../../web/src/sources/vocabulary_file.js';
import { openWorker } from '../../web/src/worker/client.js';
import { createWorkerHost, transferables } from '../../web/src/worker/worker_host.js';
import { readRanks } from '../../web/tools/convert/vocabulary.js';
import { YieldController } from '../../web/src/wasm/yield_controller.js';
import { neverFails } from '../support/worker_engine.js';
import { leapInTests, mostInOneTurn, turns } from '../support/turns.js';
import { scalesOf } from '../../web/tools/inspection/skim.js';

const mebibyte = 1 << 20;
/** Every step yields. */
const leap = leapInTests();
afterEach(() => {
  jest.restoreAllMocks();
});

describe('audio', () => {
  const planes = [0, 1].map((channel) =>
    Float32Array.from({ length: mebibyte }, (_, i) => 2 * i + channel),
  );

  /** An engine that keeps what it is told. */
  function listeningEngine() {
    const names: string[] = [];
    const calls: { piece: Float32Array | Uint8Array; givesAway: boolean | undefined }[] = [];
    const call = (
      name: string,
      request: { piece: Float32Array },
      options?: { givesAway?: boolean; signal?: AbortSignal },
    ) => {
      if (options?.signal?.aborted) throw options.signal.reason;
      names.push(name);
      if (name === 'endConversion') return Promise.resolve(new Float32Array());
      if (name !== 'convertPiece') return Promise.resolve(0);
      calls.push({ ...request, givesAway: options?.givesAway });
      return Promise.resolve({ ready: 0, piece: request.piece });
    };
    return { names, calls, engine: { call } as unknown as EngineLink };
  }
  const hear = (engine: EngineLink, audio: AudioInput, signal?: AbortSignal) =>
    wholeSamples(audio, { engine, platform: node, holding: 'whole', signal });

  test('of several channels is put in order piece by piece', async () => {
    const { names, calls, engine } = listeningEngine();
    await hear(engine, { samples: planes, sampleRate: 48000 });
    expect(names.at(-1)).toBe('endConversion');
    expect(calls.map(({ piece }) => piece.length)).toEqual(Array<number>(8).fill(mebibyte / 4));
    const all = calls.flatMap(({ piece }) => [...piece]);
    expect(all.every((value, i) => value === Math.fround(i))).toBe(true);
  });

  test('is given away to a worker only where it is no one else’s', async () => {
    const { calls, engine } = listeningEngine();
    const wav = new TextEncoder().encode('RIFF….');
    const inputs = [wav, wav.buffer, new Blob([wav]), { samples: planes[0]!, sampleRate: 8000 }];
    for (const audio of inputs) await hear(engine, audio);
    // Pieces of files are copies; those of samples are views, which the worker's client copies.
    expect(calls.map(({ givesAway }) => givesAway)).toEqual([
      ...[true, true, true],
      ...Array<boolean>(4).fill(false),
    ]);
    expect(planes[0]).toHaveLength(mebibyte);
    // The memory of those copies is given back at once, and no one else's.
    expect(calls.map(({ piece }) => piece.length > 0)).toEqual([
      ...[false, false, false],
      ...Array<boolean>(4).fill(true),
    ]);
    expect(wav).toHaveLength(8);
  });

  test('is left where it is when the work is aborted', async () => {
    const { names, calls, engine } = listeningEngine();
    const stop = new AbortController();
    const work = hear(engine, { samples: planes, sampleRate: 48000 }, stop.signal);
    stop.abort();
    await expect(work).rejects.toBe(stop.signal.reason);
    expect(calls).toEqual([]);
    expect(names).not.toContain('endConversion');
    // Checking it makes no copy.
    expect(() => checkAudio({ samples: planes, sampleRate: 0 }, false)).toThrow('sampleRate');
  });
});

describe('messages to a worker', () => {
  function postingLink() {
    const posted: { message: ToWorker; transfer: Transferable[] }[] = [];
    const worker = {
      postMessage: (message: ToWorker, transfer: Transferable[]) =>
        void posted.push({ message, transfer }),
      terminate: () => undefined,
    };
    const link = openWorker<EngineCalls, EngineEvent>(worker as unknown as Worker, neverFails);
    return { posted, link };
  }
  const samples = Float32Array.from({ length: 5 * mebibyte }, (_, i) => i % 1000);
  const request = { samples, mode: 'whole' } as const;

  test('take copies of large arrays that are made in steps', async () => {
    leap();
    for (const large of [samples, samples.subarray(3)]) {
      const { posted, link } = postingLink();
      const call = link.call('logMel', { ...request, samples: large });
      expect(posted).toEqual([]);
      let count = 0;
      for (; posted.length === 0; ++count) await turns(1);
      expect(count).toBeGreaterThanOrEqual(4);
      const [{ message, transfer } = {}] = posted;
      const sent = (message as { request: { samples: Float32Array } }).request.samples;
      expect(sent.buffer).not.toBe(samples.buffer);
      expect(transfer).toEqual([sent.buffer]);
      expect(Buffer.compare(Buffer.from(sent.buffer), Buffer.from(large.slice().buffer))).toBe(0);
      expect(samples).toHaveLength(5 * mebibyte);
      link.close();
      await expect(call).rejects.toMatchObject({ code: 'aborted' });
    }
  });

  test('take what is given away as it is, at once', () => {
    const { posted, link } = postingLink();
    link.call('logMel', request, { givesAway: true }).catch(() => undefined);
    expect(posted).toMatchObject([{ transfer: [samples.buffer] }]);
    link.close();
  });

  test('are not sent any more when the work is aborted or the module closed meanwhile', async () => {
    leap();
    const stop = new AbortController();
    const { posted, link } = postingLink();
    const aborted = link.call('logMel', request, { signal: stop.signal });
    await turns(1);
    stop.abort();
    await expect(aborted).rejects.toBe(stop.signal.reason);
    const closed = link.call('logMel', request);
    await turns(1);
    link.close();
    await expect(closed).rejects.toMatchObject({ code: 'aborted' });
    await turns(10);
    expect(posted.filter(({ message }) => message.type === 'call')).toEqual([]);
  });

  test('come back with their arrays, which are not copied', async () => {
    const values = new Float32Array(4);
    const bytes = new Uint8Array(8);
    const shared = new Uint8Array(new SharedArrayBuffer(8));
    expect(transferables(values)).toEqual([values.buffer]);
    expect(transferables({ values, bytes })).toEqual([values.buffer, bytes.buffer]);
    expect(transferables([bytes])).toEqual([bytes.buffer]);
    expect(transferables({ data: values, nMels: 2 })).toEqual([values.buffer]);
    // Never the rest of a buffer along with a part.
    expect(transferables({ bytes: bytes.subarray(1), shared })).toEqual([]);
    for (const plain of [undefined, null, 'text', 1, { text: 'text' }]) {
      expect(transferables(plain)).toEqual([]);
    }
    const sent: (Transferable[] | undefined)[] = [];
    const port = {
      postMessage: (_: FromWorker, transfer?: Transferable[]) => void sent.push(transfer),
    };
    const host = { handle: () => Promise.resolve({ values, bytes }), close: () => undefined };
    const answer = createWorkerHost(port, host as never);
    await answer({ type: 'call', id: 1, name: 'pushTensor', request: undefined });
    expect(sent).toEqual([[values.buffer, bytes.buffer]]);
  });

  test('to a worker are given back at once where the call needs them no longer', async () => {
    const host = {
      spends: new Set(['pushLoad']),
      handle: (name: string) =>
        name === 'pushLoad' ? Promise.reject(new Error('damaged')) : Promise.resolve(undefined),
      close: () => undefined,
    };
    const answer = createWorkerHost({ postMessage: () => undefined }, host as never);
    const [spent, kept] = [new Uint8Array(4), new Uint8Array(4)];
    await answer({ type: 'call', id: 1, name: 'pushLoad', request: { bytes: spent, last: true } });
    await answer({ type: 'call', id: 2, name: 'transcribe', request: { samples: kept } });
    await answer({ type: 'call', id: 3, name: 'pushLoad', request: undefined });
    await answer({ type: 'call', id: 4, name: 'pushLoad', request: { bytes: spent } });
    expect([spent.length, kept.length]).toEqual([0, 4]);
  });
});

test('bytes in memory are read in pieces', async () => {
  const bytes = Uint8Array.from({ length: 3 * mebibyte + 5 }, (_, i) => i % 251);
  const read = async (offset: number, count: number) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of memoryFolder(bytes).read('source', offset, count)) pieces.push(piece);
    return pieces;
  };
  const pieces = await read(7, 2 * mebibyte + 1);
  expect(pieces.map(({ length }) => length)).toEqual([mebibyte, mebibyte, 1]);
  expect(Buffer.concat(pieces).equals(bytes.subarray(7, 2 * mebibyte + 8))).toBe(true);
  expect((await read(3 * mebibyte, mebibyte)).map(({ length }) => length)).toEqual([5]);
  expect(await read(4 * mebibyte, 10)).toEqual([]);
  expect(await read(0, 0)).toEqual([]);
});

describe('a vocabulary', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `${btoa(`token ${i}`)} ${i}`);
  const file = new TextEncoder().encode(lines.join('\n'));
  const decode = globalThis.atob;
  const countDecoding = (count: () => void): void => {
    jest.spyOn(globalThis, 'atob').mockImplementation((text) => {
      count();
      return decode(text);
    });
  };

  test('for a model is read a thousand lines at a time', async () => {
    leap();
    const most = await mostInOneTurn((count) => {
      countDecoding(count);
      return readVocabularyFile(file, node, undefined);
    });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(1024);
  });

  test('is not read to its end once that is aborted', async () => {
    leap();
    const stop = new AbortController();
    let count = 0;
    countDecoding(() => {
      if (++count === 3000) stop.abort('enough');
    });
    await expect(readVocabularyFile(file, node, stop.signal)).rejects.toBe('enough');
    expect(count).toBeLessThan(5000);
  });

  test('has lines that end as on every system, the last one too', async () => {
    const yielder = new YieldController();
    const read = (text: string) => readRanks(text, 'ranks', 60000, yielder);
    const [first, second] = lines;
    const expected = (await read(`${first}\n${second}`)).tokens;
    expect(expected.slice(0, 2)).toEqual(['tokenĠ0', 'tokenĠ1']);
    for (const text of [`${first}\r\n${second}\r\n`, `\n${first}\n\n${second}\n`]) {
      expect((await read(text)).tokens).toEqual(expected);
    }
    for (const text of [`${first}\n\nno`, `${first}\n\n! 1`]) {
      await expect(read(text)).rejects.toThrow('line 3 ');
    }
    for (const text of ['', '\n']) await expect(read(text)).rejects.toThrow('holds no tokens');
  });
});

test('metadata are searched for digests window by window', async () => {
  const decoded: number[] = [];
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called on the decoder below
  const { decode } = TextDecoder.prototype;
  jest.spyOn(TextDecoder.prototype, 'decode').mockImplementation(function (
    this: TextDecoder,
    bytes,
    options,
  ) {
    decoded.push(bytes?.byteLength ?? 0);
    return decode.call(this, bytes, options);
  });
  /** Whether a file is opened by the code that verifies, with the text at this place of three mebibytes of metadata. */
  const isVerified = async (at: number | undefined): Promise<boolean> => {
    const bytes = new Uint8Array(32 + 3 * mebibyte).fill(32);
    const view = new DataView(bytes.buffer);
    [0x32525041, 2, 0, 32, 3 * mebibyte].forEach((field, i) => view.setUint32(4 * i, field, true));
    if (at !== undefined) bytes.set(new TextEncoder().encode('"piece_digests"'), 32 + at);
    const chunks = (async function* () {
      yield await Promise.resolve(bytes);
    })();
    const opened: OpenedSource = { chunks, givesAway: true };
    const compile = () => Promise.reject(new Error('it is verified'));
    const { source } = openProtected(opened, {}, 'plain', compile);
    try {
      for await (const piece of source.chunks) expect(piece).toHaveLength(bytes.length);
      return false;
    } catch (error) {
      expect(String(error)).toContain('it is verified');
      return true;
    }
  };
  expect(await isVerified(undefined)).toBe(false);
  for (const at of [0, mebibyte - 1, mebibyte - 14, mebibyte, 3 * mebibyte - 15]) {
    expect(await isVerified(at)).toBe(true);
  }
  expect(Math.max(...decoded)).toBeLessThan(mebibyte + 32);
});

test('the scales of layers are found with one look at each', () => {
  let looks = 0;
  const layers = Array.from({ length: 1000 }, (_, i) => ({
    ...{ arch: 'L', scale: i / 8, offset: i % 2 === 0 ? i : String(i) },
    get tensors() {
      ++looks;
      return [2 * i, 2 * i + 1];
    },
  }));
  const scales = scalesOf({ layers });
  expect(looks).toBe(1000);
  expect(scales.get(0)).toEqual({ scale: 0, offset: 0 });
  expect(scales.get(15)).toEqual({ scale: 7 / 8, offset: 7 });
  expect(scales.get(2000)).toBeUndefined();
});
