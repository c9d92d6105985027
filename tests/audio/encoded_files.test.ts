// Compressed files in Node: decoded in slices, left at once, and rejected with one error that says where they are broken.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { AudioInput } from '../../web/src/api/types.js';
import { openAudio, wholeSamples } from '../../web/src/audio/audio_feed.js';
import { asSamples } from '../../web/src/audio/audio_stream.js';
import { decodeFile } from '../../web/src/audio/decoded_file.js';
import { node } from '../../web/src/node_platform.js';
import { decodeWholeFile } from '../../web/src/platform/browser_audio.js';
import type { AudioCalls, AudioLink, DecodedPiece } from '../../web/src/protocol/audio.js';
import type { EngineLink } from '../../web/src/protocol/engine.js';
import { openInProcess } from '../../web/src/worker/in_process.js';
import { AudioHost, mostPieces } from '../../web/tools/audio/audio_host.js';
import { audioError } from '../../web/tools/audio/failures.js';
import { inPieces, noPadding, pieceSamples } from '../../web/tools/audio/blocks.js';
import { decodedAudio } from '../support/decoded_audio.js';
import { errorOf, sampleAudio } from '../support/embedded_model.js';
import {
  aiffFile,
  encoded,
  opusFile,
  rewrapped,
  type EncodedFormat,
} from '../support/encoded_audio.js';
import { limit } from '../support/limits.js';
import { startedEngine } from '../support/worker_engine.js';
import { rounds } from '../support/turns.js';

jest.setTimeout(limit(120_000));

const sample = sampleAudio();
let engine: EngineLink;
let folder: string;
beforeAll(async () => {
  engine = await startedEngine();
  folder = mkdtempSync(join(tmpdir(), 'audio-'));
});
afterAll(() => {
  engine.close();
  rmSync(folder, { recursive: true });
});

/** Where a file says how long it is, in MP4. */
function withDuration(mp4: Uint8Array, factor: number): Uint8Array {
  const bytes = mp4.slice();
  const view = new DataView(bytes.buffer);
  const text = Buffer.from(bytes).toString('latin1');
  // Version 0: behind type, version and times stands the duration; tkhd has a track's number before it.
  for (const [box, offset] of [
    ['mvhd', 20],
    ['mdhd', 20],
    ['tkhd', 24],
  ] as const) {
    const at = text.indexOf(box);
    expect(bytes[at + 4]).toBe(0);
    view.setUint32(at + offset, view.getUint32(at + offset) * factor);
  }
  return bytes;
}

describe('bounded memory (23, 107)', () => {
  /** A file without end, and what was asked of it. */
  function endless() {
    const asked = { pieces: 0, isReturned: false };
    async function* pieces(): AsyncGenerator<DecodedPiece, undefined> {
      try {
        for (;;) {
          await Promise.resolve();
          asked.pieces += 1;
          yield { samples: new Float32Array(pieceSamples), sampleRate: 48000, channels: 2 };
        }
      } finally {
        asked.isReturned = true;
      }
    }
    const facts = { format: 'MP4' };
    const host = new AudioHost(() => Promise.resolve({ facts, pieces: pieces() }));
    return { asked, link: openInProcess<AudioCalls, never>(host) };
  }
  const settle = async () => {
    for (let i = 0; i < 50; ++i) await new Promise((done) => setImmediate(done));
  };

  test('no more is decoded than is taken, and some pieces', async () => {
    const { asked, link } = endless();
    await link.call('open', { file: new Blob([]) });
    await settle();
    expect(asked.pieces).toBe(mostPieces);
    for (let taken = 1; taken <= 5; ++taken) {
      const { samples } = await link.call('read', { spent: undefined });
      expect(samples).toHaveLength(pieceSamples);
      await settle();
      expect(asked.pieces).toBe(mostPieces + taken);
    }
    link.close();
    await settle();
    expect(asked.isReturned).toBe(true);
  });

  test('memory of pieces is used again', async () => {
    async function* blocks() {
      for (let i = 0; i < 20; ++i) {
        await Promise.resolve();
        yield { planes: [new Float32Array(pieceSamples / 2).fill(i)], sampleRate: 8000 };
      }
    }
    const spent: Float32Array[] = [];
    const seen = new Set<ArrayBufferLike>();
    let count = 0;
    for await (const { samples } of inPieces(blocks(), noPadding, spent)) {
      expect([samples[0], samples.at(-1)]).toEqual([2 * count, 2 * count + 1]);
      seen.add(samples.buffer);
      spent.push(samples);
      count += 1;
    }
    expect(count).toBe(10);
    expect(seen.size).toBe(1);
  });

  test('a file that says it is short and is not comes as it is asked for, not whole', async () => {
    const file = withDuration(await opusFile('m4a', [{ seconds: 620 }]), 1 / 620);
    const opened = await openAudio(file, {
      ...{ engine, platform: node, holding: 'short', signal: undefined },
    });
    if (!('chunks' in opened)) throw new Error('chunks are expected');
    expect(opened.duration).toBeLessThan(2);
    let count = 0;
    let largest = 0;
    for (let step = await opened.chunks.next(); !step.done; step = await opened.chunks.next()) {
      const { length } = step.value as Float32Array;
      count += length;
      largest = Math.max(largest, length);
    }
    expect(count / 16000).toBeCloseTo(620, 1);
    // Ten minutes, and a piece.
    expect(largest).toBeLessThanOrEqual(600 * 16000 + pieceSamples);
  });

  test('a file that says it is long and is not is heard to its end', async () => {
    const file = withDuration(await opusFile('m4a', [{ seconds: 2 }]), 5000);
    const opened = await openAudio(file, {
      ...{ engine, platform: node, holding: 'short', signal: undefined },
    });
    if (!('chunks' in opened)) throw new Error('chunks are expected');
    let count = 0;
    for (let step = await opened.chunks.next(); !step.done; step = await opened.chunks.next()) {
      count += (step.value as Float32Array).length;
    }
    expect(count / 16000).toBeCloseTo(2, 1);
  });

  test('a window takes only the file’s beginning', async () => {
    const file = await opusFile('webm', [{ seconds: 400 }]);
    let read = 0;
    class Watched extends Blob {
      override slice(begin?: number, end?: number): Blob {
        read = Math.max(read, end ?? 0);
        return super.slice(begin, end);
      }
    }
    const opened = await openAudio(new Watched([Buffer.concat([file, Buffer.alloc(1 << 21)])]), {
      ...{ engine, platform: node, holding: 'window', signal: undefined },
    });
    if (!('samples' in opened)) throw new Error('samples are expected');
    expect(opened.samples.length).toBeGreaterThanOrEqual(30 * 16000);
    expect(opened.samples.length).toBeLessThan(60 * 16000);
    expect(read).toBeLessThan(1 << 20);
  });

  describe('what is longer than ten minutes comes as it is asked for', () => {
    const [rate, seconds] = [16000, 601];
    const ramp = Int16Array.from({ length: seconds * rate }, (_, i) => i);
    const floats = Float32Array.from(ramp, (value) => value / 32768);
    async function* pieces(): AsyncGenerator<Int16Array> {
      for (let at = 0; at < ramp.length; at += rate) {
        await Promise.resolve();
        yield ramp.subarray(at, at + rate);
      }
    }
    function wav(): Blob {
      const head = Buffer.alloc(44);
      head.write('RIFF----WAVEfmt ');
      head.writeUInt32LE(36 + ramp.byteLength, 4);
      head.writeUInt32LE(16, 16);
      head.writeUInt32LE(0x10001, 20);
      head.writeUInt32LE(rate, 24);
      head.writeUInt32LE(2 * rate, 28);
      head.writeUInt32LE(0x100002, 32);
      head.write('data', 36);
      head.writeUInt32LE(ramp.byteLength, 40);
      return new Blob([head, ramp]);
    }
    const stream = () => ({ stream: pieces(), sampleRate: rate, isRecording: true as const });
    const forms: [string, () => AudioInput][] = [
      ['floats', () => floats],
      ['integers', () => ramp],
      ['samples with their rate', () => ({ samples: floats, sampleRate: rate })],
      ['WAV', wav],
      ['a stream that says so', () => ({ ...stream(), duration: seconds })],
      ['a stream that says it is short', () => ({ ...stream(), duration: 1 })],
      ['a stream that says nothing', stream],
    ];
    const holdings = ['short', 'nothing'] as const;
    const cases = forms.flatMap(([name, make]) => holdings.map((each) => [name, each, make]));

    test.each(cases as [string, (typeof holdings)[number], () => AudioInput][])(
      '%s, of which the caller holds %s',
      async (name, holding, make) => {
        const surroundings = { engine, platform: node, holding, signal: undefined };
        const opened = await openAudio(make(), surroundings);
        if (!('chunks' in opened)) throw new Error('chunks are expected');
        const { chunks, duration } = opened;
        // A stream that hides its length is held up to ten minutes.
        const isHidden = /short|nothing/.test(name);
        if (!isHidden) expect(duration).toBeCloseTo(seconds, 2);
        const most = isHidden && holding === 'short' ? 601 * rate : 1 << 20;
        let count = 0;
        for (let step = await chunks.next(); !step.done; step = await chunks.next()) {
          const piece = asSamples(step.value);
          expect(piece.length).toBeLessThanOrEqual(most);
          expect(piece.buffer).not.toBe(floats.buffer);
          for (let i = 0; i < piece.length; i += 997) {
            if (piece[i] !== floats[count + i]) throw new Error(`sample ${count + i} differs`);
          }
          count += piece.length;
        }
        expect(count).toBe(floats.length);
      },
    );

    test('samples that are transferred meanwhile are no silence', async () => {
      for (const make of [
        (samples: Float32Array) => samples,
        (samples: Float32Array) => ({ samples, sampleRate: 8000 }),
      ]) {
        const own = floats.slice();
        const surroundings = { engine, platform: node, signal: undefined };
        const opened = await openAudio(make(own), { ...surroundings, holding: 'nothing' });
        if (!('chunks' in opened)) throw new Error('chunks are expected');
        const { chunks } = opened;
        await chunks.next();
        structuredClone(null, { transfer: [own.buffer] });
        expect(await errorOf(chunks.next())).toMatchObject({
          code: 'invalid_argument',
          details: { subject: 'audio', got: expect.stringContaining('transferred') },
        });
      }
    });
  });

  test('a window of a stream leaves the rest of it', async () => {
    const state = { pieces: 0, isLeft: false };
    async function* endless() {
      try {
        for (; ; ++state.pieces) {
          await Promise.resolve();
          yield new Float32Array(8000);
        }
      } finally {
        state.isLeft = true;
      }
    }
    const audio = { stream: endless(), sampleRate: 8000, isRecording: true } as const;
    const surroundings = { engine, platform: node, signal: undefined } as const;
    const { samples } = await wholeSamples(audio, { ...surroundings, holding: 'window' });
    expect(samples.length).toBeGreaterThanOrEqual(30 * 16000);
    await settle();
    expect(state).toEqual({ pieces: 30, isLeft: true });
  });
});

test('decoding is left in the middle when the signal says so, twenty times (40, 41)', async () => {
  const path = join(folder, 'long.webm');
  writeFileSync(path, await opusFile('webm', [{ seconds: 60 }]));
  for (const i of rounds(20)) {
    const stop = new AbortController();
    const opened = openAudio(path, {
      ...{ engine, platform: node, holding: 'whole', signal: stop.signal },
      onProgress: ({ loaded }) => {
        if (loaded > i % 10) stop.abort();
      },
    });
    expect(await errorOf(opened)).toBe(stop.signal.reason);
  }
});

describe('what is in a file', () => {
  test.each([8000, 11025, 22050, 44100])('MP3 of %i Hz', async (rate) => {
    // LAME has no more than MPEG 2.5's rates.
    const file = await encoded('mp3', 'mp3', { samples: sample, rate });
    const { samples, sampleRate, channels } = await decodedAudio(file);
    expect(sampleRate).toBe(rate);
    expect(samples.length / channels / rate).toBeCloseTo(sample.length / 16000, 0);
  });

  test.each(['webm', 'mkv', 'm4a', 'ogg'] as const)('Opus in %s', async (format) => {
    const { samples, sampleRate, channels } = await decodedAudio(
      await opusFile(format, [{ seconds: 3 }]),
    );
    expect([sampleRate, channels]).toEqual([48000, 1]);
    expect(Math.abs(samples.length - 3 * 48000)).toBeLessThanOrEqual(960);
  });

  test.each([undefined, 'sowt', 'fl32'] as const)('AIFF, %s', async (coding) => {
    const { samples, sampleRate } = await decodedAudio(aiffFile(sample, 11025, coding));
    expect(sampleRate).toBe(11025);
    expect(samples).toHaveLength(sample.length);
    const worst = sample.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - samples[i]!)),
      0,
    );
    expect(worst).toBeLessThan(1 / 16000);
  });

  test('the first of several tracks', async () => {
    const { samples } = await decodedAudio(
      await opusFile('webm', [{ seconds: 2 }, { seconds: 4 }]),
    );
    expect(samples.length / 48000).toBeCloseTo(2, 1);
  });

  test('AAC has no decoder in Node: the error names the ways out', async () => {
    for (const format of ['m4a', 'mkv', 'aac'] as const) {
      const aac = await encoded('aac', 'aac', { samples: sample.subarray(0, 16000) });
      const error = await errorOf(decodedAudio(await rewrapped(aac, format)));
      expect(error).toMatchObject({
        code: 'unsupported_feature',
        details: { reason: 'bad_audio', got: expect.stringMatching(/with aac$/) as unknown },
      });
      expect((error as Error).message).toMatch(/ffmpeg.*page.*AudioDecoder/);
    }
  });
});

describe('a program that brings WebCodecs along', () => {
  const closed = { data: 0, decoders: 0 };
  /** A ramp in each packet's place: the sum of all frames tells that each was decoded once, in order. */
  class RampDecoder {
    static isConfigSupported = ({ codec }: { codec: string }) =>
      Promise.resolve({ supported: codec.startsWith('mp4a') });
    state = 'unconfigured';
    decodeQueueSize = 0;
    ondequeue = (): void => undefined;
    readonly #output: (data: object) => void;
    readonly #error: (error: Error) => void;
    #count = 0;
    constructor(init: { output: (data: object) => void; error: (error: Error) => void }) {
      this.#output = init.output;
      this.#error = init.error;
    }
    configure(): void {
      this.state = 'configured';
    }
    decode({ timestamp }: { timestamp: number }): void {
      const packet = this.#count++;
      this.decodeQueueSize += 1;
      setImmediate(() => {
        this.decodeQueueSize -= 1;
        if (timestamp > 4e6) this.#error(new Error('a packet that makes no sense'));
        this.#output({
          ...{ numberOfChannels: 1, numberOfFrames: 1024, sampleRate: 16000, timestamp },
          duration: 64_000,
          copyTo: (into: Float32Array) => into.fill(packet / 1024),
          close: () => (closed.data += 1),
        });
        this.ondequeue();
      });
    }
    async flush(): Promise<void> {
      while (this.decodeQueueSize > 0) await new Promise((done) => setImmediate(done));
    }
    close(): void {
      this.state = 'closed';
      closed.decoders += 1;
    }
  }
  class Chunk {
    readonly timestamp: number;
    constructor({ timestamp }: { timestamp: number }) {
      this.timestamp = timestamp;
    }
  }
  const m4a = (seconds: number) =>
    encoded('m4a', 'aac', { samples: new Float32Array(16000 * seconds), rate: 16000 });
  beforeAll(() => {
    Object.assign(globalThis, { AudioDecoder: RampDecoder, EncodedAudioChunk: Chunk });
  });
  afterAll(() => {
    for (const name of ['AudioDecoder', 'EncodedAudioChunk']) {
      Reflect.deleteProperty(globalThis, name);
    }
  });

  test('hears AAC with them', async () => {
    const { samples, sampleRate } = await decodedAudio(await m4a(3));
    expect(sampleRate).toBe(16000);
    // With the encoder's delay, which this file does not name.
    expect([47, 48]).toContain(samples.length / 1024);
    const steps = samples.map((value, i) => value - (samples[i - 1] ?? value));
    expect(steps.every((step) => Math.abs(step) < 1e-6 || Math.abs(step * 1024 - 1) < 1e-3)).toBe(
      true,
    );
    expect(closed).toEqual({ data: expect.any(Number), decoders: 1 });
  });

  test('has the time where they fail', async () => {
    const error = await errorOf(decodedAudio(await m4a(6)));
    expect(error).toMatchObject({ code: 'malformed', details: { reason: 'bad_audio' } });
    expect((error as Error).message).toMatch(/ at 4\.\d+ s: a packet that makes no sense/);
    expect(closed.decoders).toBe(2);
  });
});

describe('broken files', () => {
  const opus = (format: EncodedFormat, packet?: (i: number) => Uint8Array) =>
    opusFile(format, [{ seconds: 5, ...(packet && { packet }) }]);

  test.each(['webm', 'm4a'] as const)('a damaged packet in %s: its time', async (format) => {
    const broken = (i: number) => Uint8Array.of(0xff, ...(i === 150 ? [0xff, 0xff, 0xff] : [0]));
    const file = await opus(format, (i) =>
      i === 150 ? broken(i) : Uint8Array.of(0xf8, 0xff, 0xfe),
    );
    const error = await errorOf(decodedAudio(file));
    expect(error).toMatchObject({ code: 'malformed', details: { reason: 'bad_audio' } });
    expect((error as Error).message).toMatch(/ at (2\.9|3\.0)\d+ s/);
  });

  test.each([0.1, 0.5, 0.9])('MP4 whose sound is cut off after %d of it', async (share) => {
    const file = await opus('m4a');
    const sound = Buffer.from(file).toString('latin1').indexOf('mdat') + 4;
    const cut = file.subarray(0, Math.round(sound + share * (file.length - sound)));
    const error = await errorOf(decodedAudio(cut));
    expect(error).toMatchObject({ code: 'truncated_input', details: { reason: 'bad_audio' } });
    const [, seconds] = / at (\d\.\d{3}) s\.$/.exec((error as Error).message) ?? [];
    expect(Math.abs(Number(seconds) - share * 5)).toBeLessThan(0.6);
  });

  test('MP4 without its list of packets', async () => {
    const file = await opus('m4a');
    const error = await errorOf(decodedAudio(file.subarray(0, 100)));
    expect(error).toMatchObject({ code: 'malformed', details: { reason: 'bad_audio' } });
    expect((error as Error).message).toContain('incomplete');
  });

  test('every cut of a file is an error or sound, never a crash', async () => {
    const file = await opusFile('webm', [{ seconds: 1 }]);
    for (let length = 0; length < file.length; length += 17) {
      try {
        const { samples } = await decodedAudio(file.subarray(0, length));
        expect(samples.length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toMatchObject({ name: 'SusurrusError', details: { subject: 'audio' } });
        expect(error).not.toMatchObject({ code: 'internal_error' });
      }
    }
  });

  test('video without sound', async () => {
    const error = await errorOf(decodedAudio(await opusFile('webm', [])));
    expect(error).toMatchObject({ code: 'unsupported_feature', details: { reason: 'bad_audio' } });
    expect((error as Error).message).toContain('no audio track');
  });

  test('a track without packets', async () => {
    const file = await opus('m4a');
    const view = new DataView(file.buffer);
    const text = Buffer.from(file).toString('latin1');
    for (const box of ['stts', 'stsc', 'stco']) view.setUint32(text.indexOf(box) + 8, 0);
    view.setUint32(text.indexOf('stsz') + 12, 0);
    const error = await errorOf(decodedAudio(file));
    expect(error).toMatchObject({ code: 'malformed', details: { reason: 'bad_audio' } });
    expect((error as Error).message).toContain('holds no sound');
  });

  test('a folder, and no file at all', async () => {
    expect(await errorOf(decodedAudio(folder))).toMatchObject({ code: 'source_failed' });
    const missing = join(folder, 'missing.mp3');
    const error = await errorOf(decodedAudio(missing));
    expect(error).toMatchObject({ code: 'source_failed', details: { subject: missing } });
  });
});

describe('a decoder that fails although it was offered', () => {
  const damagedAt = (seconds: number) => audioError('malformed', 'damaged', { seconds });
  const damaged = damagedAt(0);
  const piece = { samples: new Float32Array(2), sampleRate: 8000, channels: 1 };

  /** What comes of a file whose pieces are these, with what a second decoder makes of it. */
  async function heard(
    reads: readonly (DecodedPiece | Error)[],
    decodeWhole?: (typeof node)['decodeWhole'],
    signal?: AbortSignal,
  ): Promise<number[]> {
    const left = [...reads];
    const call = (name: string) => {
      if (name === 'open') return Promise.resolve({ isDecoded: true, facts: { format: 'MP3' } });
      const read = left.shift() ?? { ...piece, samples: new Float32Array() };
      return read instanceof Error ? Promise.reject(read) : Promise.resolve(read);
    };
    const link = { call, close: () => undefined } as unknown as AudioLink;
    const platform = { ...node, openAudio: () => link, ...(decodeWhole && { decodeWhole }) };
    const { pieces } = await decodeFile(new Blob(['ID3 and more']), platform, signal);
    const lengths: number[] = [];
    for (let step = await pieces.next(); !step.done; step = await pieces.next()) {
      lengths.push('samples' in step.value ? step.value.samples.length : -1);
    }
    return lengths;
  }
  const whole = () => Promise.resolve({ channels: [new Float32Array(7)], sampleRate: 8000 });

  test('gives way to the one that decodes whole files, at the first packet alone', async () => {
    expect(await heard([damaged], whole)).toEqual([7]);
    const later = damagedAt(0.1);
    expect(await errorOf(heard([later], whole))).toBe(later);
    expect(await heard([piece, piece], whole)).toEqual([2, 2]);
    expect(await errorOf(heard([piece, damaged], whole))).toBe(damaged);
    const other = new Error('the worker has ended');
    expect(await errorOf(heard([other], whole))).toBe(other);
  });

  test('is believed where there is no other, or that one fails too; an abort is an abort', async () => {
    expect(await errorOf(heard([damaged]))).toBe(damaged);
    expect(await errorOf(heard([damaged], () => Promise.reject(new Error('no'))))).toBe(damaged);
    const stop = new AbortController();
    const aborting = () => {
      stop.abort('enough');
      return new Promise<never>(() => undefined);
    };
    expect(await errorOf(heard([damaged], aborting, stop.signal))).toBe('enough');
  });
});

test('an empty file is called so where a page would decode it as a whole', async () => {
  expect(await errorOf(decodeWholeFile(new Blob([]), undefined, undefined))).toMatchObject({
    ...{ code: 'source_failed', message: 'audio: the file is empty' },
  });
});
