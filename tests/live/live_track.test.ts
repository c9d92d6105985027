// Live captions as cues: shown when they are known, with their own times afterwards; and the clock that puts them into a film.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LiveTrack } from '../../web/page/live/live_track.js';
import { MediaClock } from '../../web/page/live/media_clock.js';
import { trackLanguage } from '../../web/page/track_pool.js';

interface Cue {
  startTime: number;
  endTime: number;
  text: string;
}

/** What LiveTrack uses of a track. */
class FakeTrack {
  mode = 'showing';
  readonly cues: Cue[] = [];

  addCue(cue: Cue): void {
    this.cues.push(cue);
  }

  removeCue(cue: Cue): void {
    const at = this.cues.indexOf(cue);
    if (this.mode === 'disabled' || at === -1) throw new Error('There is no such cue.');
    this.cues.splice(at, 1);
  }
}

describe('live captions', () => {
  beforeAll(() => {
    Object.assign(globalThis, {
      VTTCue: class {
        constructor(
          public startTime: number,
          public endTime: number,
          public text: string,
        ) {}
      },
    });
  });
  afterAll(() => {
    Reflect.deleteProperty(globalThis, 'VTTCue');
  });

  function made() {
    const media = { currentTime: 0, playbackRate: 1 };
    const track = new FakeTrack();
    const format = { maxLineWidth: 12, maxLineCount: 1 };
    const shown = new LiveTrack(media as never, track as never, format);
    /** One second for each word. */
    const segment = (start: number, text: string) => {
      const words = (text.match(/ ?[^ ]+/g) ?? []).map((word, i) => ({
        ...{ word, start: start + i, end: start + i + 1 },
      }));
      return { text, words, start, end: start + words.length };
    };
    let finals = 0;
    const show = (now: number, start: number, text: string, isFinal = false): void => {
      media.currentTime = now;
      shown.show(segment(start, text), isFinal ? finals++ : undefined);
    };
    const revise = (ids: readonly number[], ...segments: readonly [number, string][]): void =>
      shown.revise(
        ids,
        segments.map(([start, text]) => segment(start, text)),
      );
    const cues = () => track.cues.map(({ startTime, endTime, text }) => [startTime, endTime, text]);
    return { media, track, shown, show, revise, cues };
  }

  test('the newest is shown now, and gets its own time when another follows', () => {
    const { show, cues, track } = made();
    show(3, 1, 'one');
    const [first] = track.cues;
    expect(cues()).toEqual([[1, 7, 'one']]);
    show(4, 1, 'one two', true);
    expect(cues()).toEqual([[1, 8, 'one two']]);
    expect(track.cues[0]).toBe(first);
    show(9, 6, 'a < b');
    expect(cues()).toEqual([
      [1, 3, 'one two'],
      [6, 13, 'a &lt; b'],
    ]);
  });

  test('what is longer than a caption is several; the last is shown', () => {
    const { show, cues } = made();
    show(6, 1, 'one two three');
    expect(cues()).toEqual([
      [1, 3, 'one two'],
      [3, 10, ' three'.trim()],
    ]);
    show(6.5, 1, 'one');
    expect(cues()).toEqual([[1, 10.5, 'one']]);
    show(7, 1, '');
    expect(cues()).toEqual([]);
  });

  test('what is heard again replaces what was there, and is held until the next is due', () => {
    const { show, cues } = made();
    show(2, 1, 'one', true);
    show(6, 5, 'five', true);
    show(11, 10, 'ten', true);
    show(2.5, 1.2, 'One');
    expect(cues()).toEqual([
      [5, 6, 'five'],
      [10, 11, 'ten'],
      [1.2, 5, 'One'],
    ]);
    show(2.6, 1.2, 'One', true);
    show(7, 5.1, 'Five', true);
    expect(cues()).toEqual([
      [10, 11, 'ten'],
      [1.2, 2.2, 'One'],
      [5.1, 10, 'Five'],
    ]);
  });

  test('a revision takes the place of its texts, also of the newest, and touches no other', () => {
    const { show, revise, cues, track } = made();
    show(2, 1, 'one', true);
    show(6, 5, 'five two', true);
    show(11, 10, 'ten', true);
    const [first, second, third] = track.cues;
    revise([1], [4.5, 'nine two'], [9.5, 'three']);
    expect(cues()).toEqual([
      [1, 2, 'one'],
      [4.5, 6.5, 'nine two'],
      [10, 15, 'ten'],
      [9.5, 10, 'three'],
    ]);
    expect(track.cues.slice(0, 3)).toEqual([first, second, third]);
    // The newest stays as long as it would have stayed.
    revise([2], [10, 'then']);
    expect(cues()[2]).toEqual([10, 15, 'then']);
    show(16, 13, 'last');
    expect(cues()[2]).toEqual([10, 11, 'then']);
    revise([0]);
    expect(cues().map(([, , text]) => text)).toEqual(['nine two', 'then', 'three', 'last']);
  });

  test('a revision leaves alone what was heard once more since, and ids that it does not know', () => {
    const { show, revise, cues } = made();
    show(2, 1, 'one', true);
    show(2.5, 1.1, 'One');
    revise([0], [1, 'won']);
    expect(cues()).toEqual([[1.1, 6.5, 'One']]);
    show(2.5, 1.1, 'One', true);
    show(6, 5, '', true);
    revise([2], [5, 'five']);
    expect(cues().map(([, , text]) => text)).toEqual(['One', 'five']);
  });

  test('captions that are switched off stay off, and are right when they are switched on', () => {
    const { show, revise, cues, track, shown } = made();
    track.mode = 'disabled';
    show(2, 1, 'one two three four');
    show(2, 1, 'one');
    expect([track.mode, cues()]).toEqual(['disabled', [[1, 6, 'one']]]);
    shown.clear();
    shown.clear();
    expect([track.mode, cues()]).toEqual(['disabled', []]);
    show(3, 2, 'two', true);
    expect(cues()).toEqual([[2, 7, 'two']]);
    revise([0], [2, 'too']);
    expect([track.mode, cues()]).toEqual(['disabled', [[2, 7, 'too']]]);
  });
});

test('the language of a track is a tag, not a name', () => {
  const asked = ['de', 'en-US', 'zh_Hans', 'auto', 'per-utterance', 'German', 'Français', '中文'];
  const tags = [undefined, ...asked].map(trackLanguage);
  expect(tags).toEqual(['', 'de', 'en-US', 'zh_Hans', '', '', '', '', '']);
});

describe('the clock of a media element', () => {
  test('follows seeking, pausing and speed, and does not follow jitter', () => {
    const clock = new MediaClock();
    expect(clock.mediaTime(3)).toBe(3);
    clock.note(0, 10, 1);
    clock.note(1, 11.2, 1);
    expect([clock.mediaTime(0.5), clock.mediaTime(2)]).toEqual([10.5, 12]);
    clock.note(2, 15, 1);
    expect([clock.mediaTime(1.5), clock.mediaTime(2.5)]).toEqual([11.5, 15.5]);
    clock.note(3, 16, 2);
    expect(clock.mediaTime(4)).toBe(18);
    // A pause, after which the player goes on where it was, but for what was not heard.
    clock.interrupt();
    clock.note(4, 18.1, 2);
    expect(clock.mediaTime(4)).toBe(18.1);
    clock.note(5, 0.1, 1);
    expect([clock.mediaTime(5), clock.mediaTime(3.5)]).toEqual([0.1, 17]);
    clock.note(5.1, -0.02, 1.5);
    expect(clock.mediaTime(5.1)).toBe(0);
  });

  test('keeps no more marks than it needs', () => {
    const clock = new MediaClock();
    for (let i = 0; i < 3000; ++i) clock.note(i, 7 * i, 1);
    expect(clock.mediaTime(2999.5)).toBe(20993.5);
    expect(clock.mediaTime(2000)).toBe(14000);
    expect(clock.mediaTime(10)).toBe(14000 - 1990);
  });
});
