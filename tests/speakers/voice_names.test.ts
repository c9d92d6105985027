// Ids of speakers who are found again and again.
import { describe, expect, test } from '@jest/globals';
import { VoiceNames } from '../../web/tools/speakers/voice_names.js';

/** A voice of length 1 in a direction, in degrees. */
const voice = (degrees: number): number[] => {
  const radians = (degrees * Math.PI) / 180;
  return [Math.cos(radians), Math.sin(radians)];
};

describe('the ids of voices', () => {
  test('are numbers in the order of the speakers at first', () => {
    expect(new VoiceNames().of([voice(0), voice(90), voice(180)])).toEqual(['S1', 'S2', 'S3']);
    expect(new VoiceNames().of([])).toEqual([]);
  });

  test('stay with who had them, in whatever order they are found', () => {
    const names = new VoiceNames();
    names.of([voice(0), voice(90)]);
    expect(names.of([voice(80), voice(10)])).toEqual(['S2', 'S1']);
    expect(names.of([voice(170), voice(75), voice(15)])).toEqual(['S3', 'S2', 'S1']);
  });

  test('go to the nearest where two could have one', () => {
    const names = new VoiceNames();
    names.of([voice(0)]);
    expect(names.of([voice(40), voice(10)])).toEqual(['S2', 'S1']);
  });

  test('follow a voice that changes little by little', () => {
    const names = new VoiceNames();
    for (let degrees = 0; degrees <= 200; degrees += 40) {
      expect(names.of([voice(degrees)])).toEqual(['S1']);
    }
  });

  test('are not given to others, and come back with their voice', () => {
    const names = new VoiceNames();
    names.of([voice(0), voice(90)]);
    expect(names.of([voice(0), voice(180)])).toEqual(['S1', 'S3']);
    expect(names.of([voice(5), voice(95), voice(175)])).toEqual(['S1', 'S2', 'S3']);
  });
});
