// The speakers of a stream, with a search that does what the test says.
import { describe, expect, test } from '@jest/globals';
import type { FoundSpeakers, LiveText } from '../../web/src/api/types.js';
import {
  StreamSpeakers,
  type SpeakersNews,
  type SpeakersReceiver,
} from '../../web/src/model/live_speakers.js';
import type { SpeakerFinding, SpeakerSearch } from '../../web/src/platform/speakers.js';
import { assignSpeakers } from '../../web/tools/speakers/assign_speakers.js';
import { turns } from '../support/turns.js';

const second = 16000;
const sound = (seconds: number): Float32Array => new Float32Array(seconds * second).fill(0.5);

const text = (id: number, ...words: readonly (readonly [string, number, number])[]): LiveText => {
  const [start, end] = [words[0]![1], words.at(-1)![2]];
  return {
    ...{ type: 'final', id, time: end, start, end, committed: words.length, tokens: [] },
    text: words.map(([word]) => ` ${word}`).join(''),
    words: words.map(([word, from, to]) => ({
      ...{ word: ` ${word}`, start: from, end: to, probability: 1 },
    })),
  };
};

/** Who speaks from when to when, where so many seconds were heard. */
function found(duration: number, ...all: readonly (readonly [string, number, number])[]) {
  const speakers = [...new Set(all.map(([id]) => id))].map((id) => ({ id, seconds: 1 }));
  const turnsOf = all.map(([speaker, start, end]) => ({ start, end, speaker }));
  return { turns: turnsOf, speakers, duration } satisfies FoundSpeakers;
}

class Search implements SpeakerSearch {
  /** Seconds that were pushed, and how many of them are silent. */
  heard = 0;
  silent = 0;
  closings = 0;
  settled = found(0);
  whole = found(0);
  failure: Error | undefined;
  holds: Promise<void> | undefined;

  async push(samples: Float32Array): Promise<void> {
    await this.holds;
    if (this.failure) throw this.failure;
    this.heard += samples.length / second;
    this.silent += samples.filter((sample) => sample === 0).length / second;
  }
  settle(): Promise<FoundSpeakers> {
    return Promise.resolve(this.settled);
  }
  finish(): Promise<FoundSpeakers> {
    return Promise.resolve(this.whole);
  }
  close(): void {
    ++this.closings;
  }
}

const finding: SpeakerFinding = {
  assignSpeakers,
  keepSpeakerFinding: () => {
    throw new Error('Nobody asks for it.');
  },
};

function begun(opening?: Promise<void>) {
  const search = new Search();
  const news: SpeakersNews[] = [];
  const [failures, warnings]: [unknown[], string[]] = [[], []];
  const receiver: SpeakersReceiver = {
    tell: (all) => void news.push(...all),
    fail: (error) => void failures.push(error),
    warn: (warning) => void warnings.push(warning),
  };
  const left: AbortSignal[] = [];
  const speakers = new StreamSpeakers(async (signal) => {
    left.push(signal);
    await opening;
    return [finding, search];
  }, receiver);
  return { search, news, failures, warnings, speakers, left };
}

/** Whose the words of each text are that is told. */
const whose = ({ texts }: SpeakersNews): unknown[] =>
  texts.map(({ ids, segments }) => [
    ...ids,
    ...segments.flatMap(({ words }) => words.map(({ speaker }) => speaker)),
  ]);

describe('the speakers of a stream', () => {
  test('are told when they are known, and again when they change', async () => {
    const { search, news, speakers } = begun();
    search.settled = found(4, ['S1', 0, 4]);
    speakers.said(text(0, ['one', 0, 1], ['two', 2, 3]));
    speakers.said(text(1, ['three', 5, 6]));
    speakers.hear(sound(8));
    await turns(20);
    expect(news.map(whose)).toEqual([[[0, 'S1', 'S1']]]);
    expect(news[0]).toMatchObject({ until: 4, speakers: [{ id: 'S1' }] });
    // Less than a window says nothing new.
    speakers.hear(sound(1));
    await turns(20);
    expect(news).toHaveLength(1);
    search.whole = found(9, ['S1', 0, 1.5], ['S2', 1.5, 9]);
    await speakers.finish();
    expect(news.slice(1).map(whose)).toEqual([
      [
        [0, 'S1', 'S2'],
        [1, 'S2'],
      ],
    ]);
    const [first] = news[1]!.texts;
    expect(first).toMatchObject({ start: 0, end: 3 });
    expect(first!.segments.map((each) => [each.speaker, each.text])).toEqual([
      ['S1', ' one'],
      ['S2', ' two'],
    ]);
    expect(first!.segments[0]).not.toHaveProperty('of');
    expect([search.heard, search.closings]).toEqual([9, 1]);
  });

  test('are told at the end even if nothing changes', async () => {
    const { search, news, speakers } = begun();
    search.settled = search.whole = found(8, ['S1', 0, 8]);
    speakers.said(text(0, ['one', 0, 1]));
    speakers.hear(sound(8));
    await speakers.finish();
    expect(news.map(whose)).toEqual([[[0, 'S1']], []]);
  });

  test('of texts that others replace', async () => {
    const { search, news, speakers } = begun();
    speakers.said(text(0, ['one', 0, 1]));
    speakers.said(text(1, ['two', 2, 3]));
    speakers.said(text(2, ['ah', 4, 5]));
    const { start, end, ...heard } = text(9, ['won', 0, 1], ['too', 2, 3]);
    const segment = { start, end, text: heard.text, words: heard.words };
    speakers.revised({ start: 0, end: 3, replaces: [0, 1], segments: [segment] });
    speakers.revised({ start: 4, end: 5, replaces: [2], segments: [] });
    search.whole = found(5, ['S1', 0, 5]);
    await speakers.finish();
    expect(news.map(whose)).toEqual([[[0, 1, 'S1', 'S1']]]);
  });

  test('what is left out is silence, however long it is', async () => {
    const { search, warnings, speakers } = begun();
    speakers.hear(sound(2));
    speakers.skip(100 * second);
    speakers.hear(sound(3));
    await speakers.finish();
    expect([search.heard, search.silent, warnings]).toEqual([105, 100, []]);
  });

  test('no more are told when a minute waits', async () => {
    const { search, news, warnings, speakers, left } = begun();
    let release!: () => void;
    search.holds = new Promise((done) => (release = done));
    for (let i = 0; i < 60; ++i) speakers.hear(sound(1));
    expect(warnings).toEqual([]);
    speakers.hear(sound(1));
    expect(warnings).toEqual([expect.stringContaining('too slow')]);
    expect(left[0]!.aborted).toBe(true);
    speakers.hear(sound(100));
    release();
    await speakers.finish();
    expect([news, warnings.length, search.closings]).toEqual([[], 1, 1]);
  });

  test('networks that fail while they hear end with a warning', async () => {
    const { search, news, failures, warnings, speakers } = begun();
    search.failure = new Error('lost');
    speakers.hear(sound(3));
    await speakers.finish();
    expect([news, failures]).toEqual([[], []]);
    expect(warnings).toEqual([expect.stringContaining('lost')]);
    expect(search.closings).toBe(1);
  });

  test('networks that cannot be had fail the stream, once', async () => {
    const error = new Error('no such file');
    const { news, failures, warnings, speakers } = begun(Promise.reject(error));
    speakers.hear(sound(3));
    await expect(speakers.finish()).rejects.toBe(error);
    speakers.close();
    expect([news, failures, warnings]).toEqual([[], [error], []]);
  });

  test('sound that comes while they load is heard', async () => {
    let load!: () => void;
    const { search, speakers } = begun(new Promise((done) => (load = done)));
    speakers.hear(sound(30));
    const done = speakers.finish();
    load();
    await done;
    expect(search.heard).toBe(30);
  });

  test('close() ends them while they load, and while they hear', async () => {
    let load!: () => void;
    const loading = begun(new Promise((done) => (load = done)));
    loading.speakers.hear(sound(3));
    loading.speakers.close();
    load();
    await loading.speakers.finish();
    const hearing = begun();
    hearing.speakers.hear(sound(3));
    hearing.speakers.close();
    await hearing.speakers.finish();
    for (const { search, news, failures, warnings, left } of [loading, hearing]) {
      await turns(5);
      expect([search.heard, search.closings, news, failures, warnings]).toEqual([0, 1, [], [], []]);
      expect(left[0]!.aborted).toBe(true);
    }
  });
});
