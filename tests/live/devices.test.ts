// Microphones and streams in a page, with a browser's audio that does what a test says.
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { microphone } from '../../web/page/live/microphone.js';
import type { AudioSink, SoundMaker } from '../../web/page/live/sound.js';
import { soundOf } from '../../web/page/live/sound_of.js';
import { capture } from '../../web/tools/capture/entry.js';
import type { SampleArray } from '../../web/src/api/types.js';
import { errorOf } from '../support/embedded_model.js';
import { turns } from '../support/turns.js';
import { fakeAudio, FakeContext, FakeMediaStream } from './fake_audio.js';

let restore = (): void => undefined;
afterEach(() => restore());

/** What an sink was told, in order; samples by their first. */
function noting() {
  const told: unknown[] = [];
  const sink: AudioSink = {
    hear: (samples: SampleArray) => Promise.resolve(void told.push(samples[0])),
    interrupt: () => told.push('break'),
    suspend: () => undefined,
    restart: () => told.push('restart'),
    changeRate: (rate) => told.push(`${rate} Hz`),
    fail: (error) => told.push(error),
  };
  return { told, sink };
}

describe('a microphone that follows the device', () => {
  async function replaced(rates: number[]) {
    const streams = rates.map((rate) => new FakeMediaStream(rate));
    let asked = 0;
    restore = fakeAudio(() => Promise.resolve(streams[asked++]!));
    const source = microphone({ followDevice: true }) as unknown as SoundMaker;
    const sound = source.begin({ base: 'https://page.test/' });
    const { told, sink } = noting();
    expect(await sound.open(sink)).toBe(rates[0]);
    FakeContext.made.at(-1)!.nodes[0]!.play(new Float32Array([1]));
    FakeContext.made.at(-1)!.nodes[0]!.rest = new Float32Array([2]);
    for (const stream of streams.slice(0, -1)) {
      stream.track.dispatchEvent(new Event('ended'));
      await turns(20);
    }
    FakeContext.made
      .findLast(({ state }) => state === 'running')!
      .nodes[0]!.play(new Float32Array([3]));
    await sound.close();
    return told;
  }

  test('tells its new rate, behind all that the device before had heard', async () => {
    expect(await replaced([48000, 44100])).toEqual([1, 'restart', 2, '44100 Hz', 3]);
  });

  test('tells each change, and the first rate by open() alone', async () => {
    expect(await replaced([44100, 48000, 44100])).toEqual([
      ...[1, 'restart', 2, '48000 Hz', 'restart', '44100 Hz', 3],
    ]);
  });

  test('tells nothing where the rate is the same', async () => {
    expect(await replaced([48000, 48000])).toEqual([1, 'restart', 3, 2]);
  });
});

test('a microphone for which there can be no context is one clear error', () => {
  restore = fakeAudio();
  FakeContext.refusal = new DOMException('no hardware', 'NotSupportedError');
  const source = microphone() as unknown as SoundMaker;
  expect(() => source.begin({ base: 'https://page.test/' })).toThrow(
    expect.objectContaining({ code: 'source_failed', cause: FakeContext.refusal }),
  );
});

describe('a sound device that does not start, although no click is needed', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  /** A stream in a context that stands still, and what is told of it. */
  async function waiting() {
    restore = fakeAudio();
    Object.assign(navigator, { getAutoplayPolicy: () => 'allowed' });
    FakeContext.startsAs = 'suspended';
    jest.useFakeTimers();
    const sound = soundOf(new FakeMediaStream(48000) as never).begin({
      base: 'https://page.test/',
    });
    const states: unknown[] = [];
    const sink: AudioSink = {
      ...noting().sink,
      suspend: (why) => states.push(why ?? 'heard'),
      restart: () => states.push('starting'),
    };
    await sound.open(sink);
    const become = (state: AudioContextState): void => {
      FakeContext.made[0]!.state = state;
      FakeContext.made[0]!.dispatchEvent(new Event('statechange'));
    };
    return { sound, states, become };
  }

  test('is waited for, then said to be away, and heard should it start later', async () => {
    const { sound, states, become } = await waiting();
    jest.advanceTimersByTime(4999);
    expect(states).toEqual(['starting']);
    jest.advanceTimersByTime(1);
    expect(states.splice(0)).toEqual(['starting', 'interrupted']);
    become('suspended');
    jest.advanceTimersByTime(10_000);
    expect(states.splice(0)).toEqual(['interrupted']);
    become('running');
    expect(states.splice(0)).toEqual(['heard']);
    // Its patience begins anew.
    become('suspended');
    expect(states).toEqual(['starting']);
    await sound.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  test('is no matter once it has started', async () => {
    const { sound, states, become } = await waiting();
    become('running');
    jest.advanceTimersByTime(10_000);
    expect(states).toEqual(['starting', 'heard']);
    await sound.close();
  });
});

test('one track of a stream is heard as the stream is, and a track of a picture is refused', async () => {
  restore = fakeAudio();
  const { track } = new FakeMediaStream(48000);
  const sound = soundOf(track as never).begin({ base: 'https://page.test/' });
  const { told, sink } = noting();
  expect(await sound.open(sink)).toBe(48000);
  FakeContext.made.at(-1)!.nodes[0]!.play(new Float32Array([1]));
  track.stop();
  track.dispatchEvent(new Event('ended'));
  expect(await sound.ended).toBe('source-ended');
  expect(told).toEqual([1]);
  track.kind = 'video';
  expect(() => soundOf(track as never)).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      message: 'Option source must be a track of the kind "audio"; it is "video".',
    }),
  );
});

describe('capturing a stream', () => {
  const worklet = new URL('https://page.test/capture_worklet.mjs');
  const begin = (stream: FakeMediaStream, signal?: AbortSignal) => capture(stream, worklet, signal);

  test('where there can be no context is one clear error, and leaves nothing', async () => {
    restore = fakeAudio();
    FakeContext.refusal = new DOMException('no hardware', 'NotSupportedError');
    const intervals = jest.spyOn(globalThis, 'setInterval');
    const error = await errorOf(begin(new FakeMediaStream(48000)).next());
    expect(error).toMatchObject({
      code: 'source_failed',
      message: expect.stringContaining('makes no audio context'),
    });
    expect(intervals).not.toHaveBeenCalled();
    intervals.mockRestore();
  });

  test('hears one track of it', async () => {
    restore = fakeAudio();
    const { track } = new FakeMediaStream(48000);
    const pieces = capture(track, worklet, undefined);
    const next = pieces.next();
    await turns(20);
    FakeContext.made[0]!.nodes[0]!.play(new Float32Array([1]));
    const piece = { samples: new Float32Array([1]), sampleRate: 48000, channels: 1 };
    expect(await next).toEqual({ done: false, value: piece });
    await pieces.return(undefined);
    expect(FakeContext.made[0]!.state).toBe('closed');
  });

  test.each(['abort', 'end'])('ends by %s while the context waits for a click', async (way) => {
    restore = fakeAudio();
    FakeContext.startsAs = 'suspended';
    const [stream, abort] = [new FakeMediaStream(48000), new AbortController()];
    const cleared = jest.spyOn(globalThis, 'clearInterval');
    const next = begin(stream, abort.signal).next();
    await turns(5);
    if (way === 'abort') abort.abort();
    else stream.track.stop();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(FakeContext.made.map(({ state }) => state)).toEqual(['closed']);
    expect(cleared).toHaveBeenCalled();
    cleared.mockRestore();
  });
});
