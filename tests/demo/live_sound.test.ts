import { describe, expect, test } from '@jest/globals';
import { NothingHeard, troubleOf } from '../../web/demo/live/explain.js';
import { KeptSound } from '../../web/demo/live/kept_sound.js';

async function samplesOf(file: File | undefined): Promise<Int16Array> {
  if (!file) throw new Error('there is no file');
  const bytes = await file.arrayBuffer();
  const view = new DataView(bytes);
  expect(view.getUint32(4, true)).toBe(bytes.byteLength - 8);
  expect(view.getUint32(40, true)).toBe(bytes.byteLength - 44);
  return new Int16Array(bytes.slice(44));
}

describe('sound that is kept', () => {
  test('is a WAV file of everything that came, at any time', async () => {
    const kept = new KeptSound();
    expect(kept.file('none.wav')).toBeUndefined();
    kept.add(Float32Array.of(0, 0.5, -1), 8000);
    expect(Array.from(await samplesOf(kept.file('a.wav')))).toEqual([0, 16_384, -32_767]);
    kept.add(Float32Array.of(2, -2, Number.NaN), 8000);
    const file = kept.file('b.wav');
    expect(Array.from(await samplesOf(file))).toEqual([
      ...[0, 16_384, -32_767],
      ...[32_767, -32_767, 0],
    ]);
    expect(file).toMatchObject({ name: 'b.wav', type: 'audio/wav' });
    const header = new DataView((await file?.arrayBuffer()) ?? new ArrayBuffer(0));
    expect(header.getUint32(24, true)).toBe(8000);
    expect(kept.seconds).toBe(6 / 8000);
  });

  test('is in order over many pieces', async () => {
    const kept = new KeptSound();
    const rate = 100;
    for (let block = 0; block < 70; ++block) {
      kept.add(
        Float32Array.from({ length: 77 }, (_, i) => (block * 77 + i) / 32_767),
        rate,
      );
    }
    const samples = await samplesOf(kept.file('long.wav'));
    expect(samples).toHaveLength(5390);
    expect(samples.every((sample, i) => sample === i)).toBe(true);
    expect(kept.seconds).toBeCloseTo(53.9);
  });

  test('ends at its limit, and says so', async () => {
    const kept = new KeptSound(2000);
    kept.add(new Float32Array(999).fill(0.1), 16_000);
    expect(kept.isFull).toBe(false);
    kept.add(new Float32Array(50).fill(0.1), 16_000);
    expect(kept.isFull).toBe(true);
    kept.add(new Float32Array(5000).fill(0.1), 16_000);
    expect(await samplesOf(kept.file('full.wav'))).toHaveLength(1000);
  });
});

describe('what went wrong with the sound', () => {
  const error = (name: string): Error => Object.assign(new Error('no'), { name });

  test.each([
    ['microphone', 'NotAllowedError', 'refused'],
    ['microphone', 'NotFoundError', 'noMicrophone'],
    ['microphone', 'NotReadableError', 'microphoneBusy'],
    ['microphone', 'TypeError', 'notHere'],
    ['microphone', 'RangeError', 'failed'],
    ['tab', 'NotAllowedError', 'notShared'],
    ['tab', 'NotFoundError', 'sharedWithoutSound'],
    ['tab', 'NotSupportedError', 'notHere'],
    ['tab', 'NotReadableError', 'failed'],
    ['file', 'NotSupportedError', 'failed'],
  ] as const)('of the %s, %s: %s', (source, name, trouble) => {
    expect(troubleOf(source, error(name))).toBe(trouble);
    const wrapped = new Error('The audio could not be read.', { cause: error(name) });
    expect(troubleOf(source, wrapped)).toBe(trouble);
  });

  test('what is no error, or goes round in circles, has failed', () => {
    const circle = new Error('round');
    circle.cause = circle;
    for (const odd of [undefined, null, 'NotAllowedError', circle]) {
      expect(troubleOf('microphone', odd)).toBe('failed');
    }
  });

  test('a microphone that sends nothing is told after a while, and no more once it sends', () => {
    const nothing = new NothingHeard();
    expect(nothing.note(0, 0)).toBe(false);
    expect(nothing.note(0, 3.9)).toBe(false);
    expect(nothing.note(0.00005, 4)).toBe(true);
    expect(nothing.note(0.01, 4.1)).toBe(false);
    expect(nothing.note(0, 5)).toBe(false);
    expect(nothing.note(0, 9)).toBe(true);
  });
});
