// What the page's player computes: keys, speeds, the outline of a recording, and the samples of WAV files.
import { describe, expect, test } from '@jest/globals';
import { Peaks } from '../../web/demo/player/peaks.js';
import {
  commandOf,
  nextSpeed,
  TypingWatch,
  type KeyPress,
} from '../../web/demo/player/player_keys.js';
import { wavPieces } from '../../web/demo/player/wav_pieces.js';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ...{ ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
  ...{ isInText: false, isOnControl: false },
  ...more,
});

describe('keys', () => {
  test('do what the sheet says', () => {
    const keys = [' ', 'k', 'K', 'j', 'l', 'ArrowLeft', 'ArrowRight', '<', '>', '?', '/', 'e'];
    expect(keys.map((key) => commandOf(press(key), true))).toEqual([
      ...['toggle', 'toggle', 'toggle', 'back', 'forward', 'back', 'forward'],
      ...['slower', 'faster', 'keys', 'find', 'edit'],
    ]);
    expect(commandOf(press('z', { ctrlKey: true }), true)).toBe('undo');
    expect(commandOf(press('Z', { metaKey: true, shiftKey: true }), true)).toBe('redo');
    expect(commandOf(press('y', { ctrlKey: true }), true)).toBe('redo');
    expect(commandOf(press('constructor'), true)).toBeUndefined();
  });

  test.each([' ', 'k', 'ArrowLeft', '/'])('leave %j to text and to the browser', (key) => {
    expect(commandOf(press(key, { isInText: true }), true)).toBeUndefined();
    expect(commandOf(press(key, { ctrlKey: true }), true)).toBeUndefined();
    expect(commandOf(press(key, { altKey: true }), true)).toBeUndefined();
  });

  test('leave undoing to a field in which one writes', () => {
    expect(commandOf(press('z', { ctrlKey: true, isInText: true }), true)).toBeUndefined();
  });

  test('leave space and arrows to buttons, and letters to whoever switches them off', () => {
    const onButton = { isOnControl: true };
    expect(commandOf(press(' ', onButton), true)).toBeUndefined();
    expect(commandOf(press('ArrowLeft', onButton), true)).toBeUndefined();
    expect(commandOf(press('j', onButton), true)).toBe('back');
    expect(commandOf(press('j'), false)).toBeUndefined();
    expect(commandOf(press(' '), false)).toBe('toggle');
    expect(commandOf(press('z', { ctrlKey: true }), false)).toBe('undo');
  });

  test('go through the speeds to their ends', () => {
    expect([nextSpeed(1, 1), nextSpeed(1, -1)]).toEqual([1.25, 0.75]);
    expect([nextSpeed(2, 1), nextSpeed(0.5, -1)]).toEqual([2, 0.5]);
    expect([nextSpeed(1.1, 1), nextSpeed(1.1, -1)]).toEqual([1.25, 1]);
  });
});

describe('letters that are typed when the field has gone', () => {
  const typed = (watch: TypingWatch, key: string, time: number, isInText = false) =>
    watch.isLeftover({ key, time, isInText, isCommand: false });

  test('are no commands, however many there are, until a second without any', () => {
    const watch = new TypingWatch();
    expect(typed(watch, 'e', 0)).toBe(false);
    expect(typed(watch, 'a', 1000, true)).toBe(false);
    expect(typed(watch, 'e', 1900)).toBe(true);
    expect(typed(watch, ' ', 2800)).toBe(true);
    expect(typed(watch, 'e', 3799)).toBe(true);
    expect(typed(watch, 'e', 4799)).toBe(false);
    expect(typed(watch, 'Enter', 5000, true)).toBe(false);
    expect(typed(watch, 'e', 5500)).toBe(true);
  });

  test('are commands when a person has gone elsewhere, and so are all other keys', () => {
    const watch = new TypingWatch();
    for (const [time, key] of [
      [0, 'Tab'],
      [100, 'ArrowDown'],
    ] as const) {
      typed(watch, 'a', time, true);
      typed(watch, key, time + 10, true);
      expect(typed(watch, ' ', time + 20)).toBe(false);
    }
    typed(watch, 'a', 200, true);
    watch.end();
    expect(typed(watch, ' ', 210)).toBe(false);
    typed(watch, 'a', 300, true);
    for (const key of ['Enter', 'F2', 'Escape']) expect(typed(watch, key, 310)).toBe(false);
    expect(watch.isLeftover({ key: 'z', time: 320, isInText: false, isCommand: true })).toBe(false);
  });
});

describe('the outline of a recording', () => {
  const ramp = (count: number) => Float32Array.from({ length: count }, (_, at) => at / count);

  test('has the loudest sample of each part, of whatever channel', () => {
    const peaks = new Peaks(8000);
    const samples = new Float32Array(2 * 8000);
    samples[2 * 1000 + 1] = -0.5;
    samples[2 * 7000] = 0.25;
    peaks.add(samples, 8000, 2);
    expect(Array.from(peaks.bars(4, 1))).toEqual([0.5, 0, 0, 0.25]);
  });

  test('says the same of ten hours as of a second, in as little memory', () => {
    const rate = 100;
    const peaks = new Peaks(rate);
    const hour = ramp(3600 * rate);
    for (let i = 0; i < 10; ++i) peaks.add(hour, rate, 1);
    expect(Math.min(...peaks.bars(10, 36_000))).toBeGreaterThan(0.98);
    expect(peaks.bars(20, 36_000)[0]).toBeCloseTo(0.5, 1);
    expect(peaks.seconds).toBeCloseTo(36_000, -2);
  });

  test('is the same however the samples are cut, also when their rate changes', () => {
    const [whole, cut] = [new Peaks(16_000), new Peaks(16_000)];
    const samples = ramp(48_000);
    whole.add(samples, 16_000, 1);
    for (let at = 0; at < samples.length; at += 777) {
      cut.add(samples.subarray(at, at + 777), 16_000, 1);
    }
    expect(cut.bars(50, 3)).toEqual(whole.bars(50, 3));
    whole.add(ramp(8000), 8000, 1);
    expect(whole.seconds).toBeCloseTo(4, 2);
  });

  test('is flat where nothing is known', () => {
    const peaks = new Peaks(16_000);
    expect(Array.from(peaks.bars(3, 0))).toEqual([0, 0, 0]);
    expect(Array.from(peaks.bars(3, NaN))).toEqual([0, 0, 0]);
    peaks.add(ramp(16_000), 16_000, 1);
    expect(peaks.bars(4, 4)[3]).toBe(0);
    expect(peaks.bars(4, 4)[0]).toBeGreaterThan(0.9);
  });
});

describe('the samples of a WAV file', () => {
  /** A file with a chunk of odd length, which is padded, before the samples. */
  function wav(tag: number, bits: number, channels: number, data: Uint8Array, size = data.length) {
    const header = new DataView(new ArrayBuffer(54));
    const name = (offset: number, text: string) => {
      for (let i = 0; i < text.length; ++i) header.setUint8(offset + i, text.charCodeAt(i));
    };
    name(0, 'RIFF');
    name(8, 'WAVEfmt ');
    header.setUint32(16, 16, true);
    header.setUint16(20, tag, true);
    header.setUint16(22, channels, true);
    header.setUint32(24, 8000, true);
    header.setUint16(34, bits, true);
    name(36, 'note');
    header.setUint32(40, 1, true);
    name(46, 'data');
    header.setUint32(50, size, true);
    return new Blob([header, Uint8Array.from(data)]);
  }
  async function read(file: Blob): Promise<number[] | undefined> {
    const pieces = await wavPieces(file);
    if (!pieces) return undefined;
    const samples: number[] = [];
    for await (const piece of pieces) samples.push(...piece.samples);
    return samples;
  }
  const bytesOf = (view: ArrayBufferView) =>
    new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

  test('are read in every plain notation', async () => {
    expect(await read(wav(1, 8, 1, Uint8Array.of(128, 192, 0)))).toEqual([0, 0.5, -1]);
    expect(await read(wav(1, 16, 2, bytesOf(Int16Array.of(16_384, -32_768))))).toEqual([0.5, -1]);
    expect(await read(wav(1, 24, 1, Uint8Array.of(0, 0, 64, 0, 0, 128)))).toEqual([0.5, -1]);
    expect(await read(wav(1, 32, 1, bytesOf(Int32Array.of(2 ** 30))))).toEqual([0.5]);
    expect(await read(wav(3, 32, 1, bytesOf(Float32Array.of(0.5, -1))))).toEqual([0.5, -1]);
    expect(await read(wav(3, 64, 1, bytesOf(Float64Array.of(0.25))))).toEqual([0.25]);
  });

  test('are read to the end of the file where a recorder did not come to say how many', async () => {
    const data = bytesOf(Int16Array.of(16_384, 16_384));
    expect(await read(wav(1, 16, 1, data, 0))).toEqual([0.5, 0.5]);
    expect(await read(wav(1, 16, 1, data, 0xffff_fff0))).toEqual([0.5, 0.5]);
    expect(await read(wav(1, 16, 1, data.subarray(0, 3)))).toEqual([0.5]);
  });

  test('are left to the browser where they are not plain, or not there', async () => {
    expect(await read(wav(2, 4, 1, new Uint8Array(8)))).toBeUndefined();
    expect(await read(wav(1, 16, 0, new Uint8Array(8)))).toBeUndefined();
    expect(await read(new Blob(['RIFF']))).toBeUndefined();
    expect(await read(new Blob(['ID3 and so on, no WAV file at all']))).toBeUndefined();
    expect(await read(new Blob([]))).toBeUndefined();
  });

  test('come in pieces of a mebibyte', async () => {
    const pieces = await wavPieces(wav(1, 16, 1, new Uint8Array(5 << 20)));
    const lengths: number[] = [];
    for await (const { samples } of pieces!) lengths.push(samples.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1 << 19);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe((5 << 20) / 2);
  });

  test('give back the memory of each piece at once, whenever a browser collects its garbage', async () => {
    const file = wav(1, 16, 1, new Uint8Array(3 << 20));
    const given: ArrayBuffer[] = [];
    const slice = file.slice.bind(file);
    file.slice = (...range) => {
      const part = slice(...range);
      const whole = part.arrayBuffer.bind(part);
      part.arrayBuffer = async () => {
        const buffer = await whole();
        given.push(buffer);
        return buffer;
      };
      return part;
    };
    for await (const piece of (await wavPieces(file))!) {
      expect(piece.samples.length).toBeGreaterThan(0);
      expect(given.at(-1)?.byteLength).toBe(0);
    }
    expect(given.length).toBeGreaterThan(3);
  });
});
