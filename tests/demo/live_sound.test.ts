import { describe, expect, test } from '@jest/globals';
import { explanationOf, explanationOfError } from '../../web/demo/live/explain.js';
import { KeptSound } from '../../web/demo/recording/kept_sound.js';
import { strings } from '../../web/demo/strings.js';
import type { ListenStatus } from '../../web/page/live.js';

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

  test('keeps the rate of the first block, whatever microphone follows', async () => {
    const kept = new KeptSound();
    kept.add(Int16Array.of(1, 2), 8000);
    kept.add(Int16Array.of(3, 3, 4, 4), 16_000);
    kept.add(Int16Array.of(5), 4000);
    expect(Array.from(await samplesOf(kept.file('a.wav')))).toEqual([1, 2, 3, 4, 5, 5]);
    expect(kept.seconds).toBe(6 / 8000);
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

describe('the sentence that explains', () => {
  const failed = (reason?: string): ListenStatus => ({
    state: 'ended',
    reason: 'failed',
    error: Object.assign(new Error('no'), reason === undefined ? {} : { details: { reason } }),
  });

  test.each([
    ['microphone', 'permission', 'refused'],
    ['microphone', 'no_device', 'noMicrophone'],
    ['microphone', 'device_busy', 'microphoneBusy'],
    ['microphone', 'environment', 'notHere'],
    ['microphone', 'limit', 'tooSlow'],
    ['microphone', 'source', 'failed'],
    ['tab', 'permission', 'notShared'],
    ['tab', 'no_sound', 'sharedWithoutSound'],
    ['tab', 'environment', 'notHere'],
    ['tab', 'no_device', 'failed'],
    ['file', 'permission', 'failed'],
    ['file', undefined, 'failed'],
  ] as const)('the failure of the %s with the reason %s: %s', (choice, reason, explanation) => {
    expect(explanationOf(choice, failed(reason))).toBe(explanation);
  });

  test('what is no error of the package has failed', () => {
    const odd = [
      null,
      'no',
      { details: { reason: 'limit' } },
      Object.assign(new Error(), { details: 3 }),
    ];
    for (const error of odd) expect(explanationOfError('microphone', error)).toBe('failed');
  });

  test.each([
    ['microphone', 'starting', undefined, 'asking'],
    ['tab', 'starting', undefined, 'askingTab'],
    ['file', 'starting', undefined, undefined],
    ['microphone', 'listening', undefined, undefined],
    ['microphone', 'listening', 'nothing-heard', 'nothingHeard'],
    ['tab', 'listening', 'nothing-heard', 'nothingHeardTab'],
    ['microphone', 'suspended', 'needs-click', 'needsClick'],
    ['microphone', 'suspended', 'interrupted', 'interrupted'],
    ['microphone', 'suspended', 'muted', 'muted'],
    ['file', 'suspended', 'paused', 'pressPlay'],
    ['microphone', 'ended', 'device-lost', 'deviceLost'],
    ['tab', 'ended', 'source-ended', 'sharingEnded'],
    ['file', 'ended', 'source-ended', undefined],
    ['microphone', 'ended', 'closed', undefined],
  ] as const)('%s, %s, %s: %s', (choice, state, reason, explanation) => {
    expect(explanationOf(choice, { state, ...(reason && { reason }) })).toBe(explanation);
  });

  test('each has its words', () => {
    for (const text of Object.values(strings.live.explanations))
      expect(text).toMatch(/^[A-Z].*\.$|\?$/);
  });
});
