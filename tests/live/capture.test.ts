// From the audio thread to the page: blocks, and a ring that never loses a sample.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeRing, readRing, writeRing, type RingMemory } from '../../web/tools/capture/ring.js';

const numbers = (from: number, count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => from + i);

describe('the ring', () => {
  test('gives what it was given, around its end and past the largest position', () => {
    const ring = makeRing();
    // Both have counted almost as far as they can.
    ring.positions.fill(0x7fffffff - 5);
    let [written, read] = [0, 0];
    for (let round = 0; round < 50; ++round) {
      const block = numbers(written, 50_000 + round);
      expect(writeRing(ring, block)).toBe(block.length);
      written += block.length;
      const got = readRing(ring);
      expect(got.length).toBe(block.length);
      expect([got[0], got.at(-1)]).toEqual([read, read + got.length - 1]);
      read += got.length;
    }
    expect(readRing(ring).length).toBe(0);
  });

  test('takes no more than there is room for', () => {
    const ring = makeRing();
    const block = numbers(0, 1_000_000);
    expect(writeRing(ring, block)).toBe(1_000_000);
    expect(writeRing(ring, block)).toBe((1 << 20) - 1_000_000);
    expect(writeRing(ring, block)).toBe(0);
    expect(readRing(ring).length).toBe(1 << 20);
  });
});

describe('the worklet', () => {
  type Message = Float32Array | string;
  interface Port {
    onmessage: ((event: { data: string }) => void) | undefined;
    postMessage(message: Message): void;
  }
  let Capture: new (options: object) => { port: Port; process(inputs: Float32Array[][]): boolean };

  beforeAll(async () => {
    Object.assign(globalThis, {
      AudioWorkletProcessor: class {
        port = {};
      },
      registerProcessor: (_: string, processor: typeof Capture) => (Capture = processor),
    });
    await import('../../web/tools/capture/worklet.js');
  });

  function made(ring?: RingMemory) {
    const worklet = new Capture({ processorOptions: { ring } });
    const messages: Message[] = [];
    // As a port does: what is sent is the sender's no more.
    worklet.port.postMessage = (message) => void messages.push(structuredClone(message));
    let next = 0;
    const play = (count: number): void => {
      expect(worklet.process([[numbers(next, count)]])).toBe(true);
      next += count;
    };
    return { worklet, messages, play };
  }

  test('hands blocks over, and at the end the rest', () => {
    const { worklet, messages, play } = made();
    for (let i = 0; i < 33; ++i) play(128);
    expect(worklet.process([[]])).toBe(true);
    expect(messages.map(({ length }) => length)).toEqual([2048, 2048]);
    worklet.port.onmessage?.({ data: 'finish' });
    expect(messages.slice(2)).toEqual([numbers(4096, 128), 'finished']);
    worklet.port.onmessage?.({ data: 'finish' });
    expect(messages.slice(4)).toEqual(['finished']);
  });

  test('counts a source without a channel as silence, once there is a source', () => {
    const { worklet, messages, play } = made();
    for (let i = 0; i < 9; ++i) expect(worklet.process([[]])).toBe(true);
    worklet.port.onmessage?.({ data: 'connected' });
    play(128);
    expect(worklet.process([[]])).toBe(true);
    play(128);
    worklet.port.onmessage?.({ data: 'finish' });
    const heard = Float32Array.from([
      ...numbers(0, 128),
      ...new Float32Array(128),
      ...numbers(128, 128),
    ]);
    expect(messages).toEqual([heard, 'finished']);
  });

  test.each([undefined, makeRing()])('runs no longer once the page has let it go', (ring) => {
    const { worklet, messages, play } = made(ring);
    play(2048);
    worklet.port.onmessage?.({ data: 'finish' });
    messages.length = 0;
    expect(worklet.process([[numbers(0, 2048)]])).toBe(false);
    expect(worklet.process([[]])).toBe(false);
    expect(messages).toEqual([]);
  });

  test('writes into the ring, and keeps what a busy page leaves no room for, in order', () => {
    const ring = makeRing();
    const { worklet, messages, play } = made(ring);
    const got: Float32Array[] = [];
    const count = (): number => got.reduce((sum, { length }) => sum + length, 0);
    for (let i = 0; i < 600; ++i) play(2048);
    expect(new Set(messages)).toEqual(new Set(['ready']));
    got.push(readRing(ring));
    expect(count()).toBe(1 << 20);
    play(2048);
    got.push(readRing(ring));
    expect(count()).toBe(601 * 2048);
    for (let i = 0; i < 600; ++i) play(2048);
    play(100);
    messages.length = 0;
    worklet.port.onmessage?.({ data: 'finish' });
    got.push(readRing(ring));
    got.push(...messages.filter((message) => typeof message !== 'string'));
    expect(count()).toBe(1201 * 2048 + 100);
    let expected = 0;
    for (const block of got)
      for (const sample of block) if (sample !== expected++) throw new Error(`${sample}`);
    expect(messages.at(-1)).toBe('finished');
  });
});
