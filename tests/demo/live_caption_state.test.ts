import { describe, expect, test } from '@jest/globals';
import type { LiveEvent } from '../../web/src/index.js';
import { CaptionState } from '../../web/demo/live/caption_state.js';
import type { Entry, Utterance } from '../../web/demo/live/caption_state.js';
import { transcriptOf, textOf } from '../../web/demo/live/live_transcript.js';
import { liveOptionsOf } from '../../web/demo/live/live_options.js';
import { heard, heardAgain, spoken } from './live_events.js';

const textsOf = (entries: readonly Entry[]): string[] =>
  entries.map((entry) => (entry.kind === 'gap' ? '…' : textOf(entry).trim()));

function stateAfter(...events: readonly LiveEvent[]): CaptionState {
  const state = new CaptionState();
  for (const event of events) state.apply(event);
  return state;
}

const onlyOpen = (state: CaptionState): Utterance => {
  const [utterance, ...others] = state.open;
  if (!utterance || others.length > 0) throw new Error(`${others.length} others are open`);
  return utterance;
};

describe('live captions', () => {
  test('a partial replaces the one before it; its final ends it', () => {
    const state = stateAfter(
      heard('partial', 0, ['thr']),
      heard('partial', 0, ['three', 'on'], { committed: 1 }),
    );
    expect(textsOf(state.open)).toEqual(['three on']);
    expect(onlyOpen(state).words.map(({ isCommitted }) => isCommitted)).toEqual([true, false]);
    expect(state.entries).toEqual([]);
    const changes = state.apply(heard('final', 0, ['three', 'one', 'four.']));
    expect(changes.map(({ kind }) => kind)).toEqual(['kept']);
    expect(textsOf(state.entries)).toEqual(['three one four.']);
    expect(state.open).toEqual([]);
  });

  test('committed words stay the same objects, even if an event says otherwise', () => {
    const state = stateAfter(heard('partial', 0, ['we', 'shall', 'flight'], { committed: 2 }));
    const [we, shall] = onlyOpen(state).words;
    state.apply(heard('partial', 0, ['He', 'shell', 'fight', 'on'], { committed: 1 }));
    expect(onlyOpen(state).words[0]).toBe(we);
    expect(onlyOpen(state).words[1]).toBe(shall);
    expect(textsOf(state.open)).toEqual(['we shall fight on']);
    state.apply(heard('final', 0, ['I']));
    expect(textsOf(state.entries)).toEqual(['we shall']);
  });

  test('words without `committed`, and with a nonsensical one, are provisional', () => {
    for (const committed of [undefined, Number.NaN, -3]) {
      const event = { ...heard('partial', 0, ['two']), committed } as unknown as LiveEvent;
      expect(onlyOpen(stateAfter(event)).words[0]?.isCommitted).toBe(false);
    }
  });

  test('keys stay with their place, and differ from each other', () => {
    const state = stateAfter(heard('partial', 7, ['a', 'b']));
    const before = onlyOpen(state).words.map(({ key }) => key);
    state.apply(heard('partial', 7, ['a', 'c', 'd']));
    const after = onlyOpen(state).words.map(({ key }) => key);
    expect(after.slice(0, 2)).toEqual(before);
    expect(new Set(after).size).toBe(3);
  });

  test('a partial after the final of its id changes nothing', () => {
    const state = stateAfter(heard('final', 3, ['done']));
    expect(state.apply(heard('partial', 3, ['gone']))).toEqual([]);
    expect(state.apply(heard('final', 3, ['done', 'again']))).toEqual([]);
    expect(textsOf(state.entries)).toEqual(['done']);
    expect(state.open).toEqual([]);
  });

  test('a final without partial is kept', () => {
    expect(textsOf(stateAfter(heard('final', 0, ['hello'])).entries)).toEqual(['hello']);
  });

  test('an empty final takes a provisional text back, but not what was committed', () => {
    const state = stateAfter(heard('partial', 0, ['thanks']));
    const { key } = onlyOpen(state);
    expect(state.apply(heard('final', 0, []))).toEqual([{ kind: 'removed', key }]);
    expect([...state.entries, ...state.open]).toEqual([]);
    expect(state.apply(heard('partial', 0, ['thanks', 'again']))).toEqual([]);
    state.apply(heard('partial', 1, ['hello', 'you'], { committed: 1 }));
    state.apply(heard('final', 1, []));
    expect(textsOf(state.entries)).toEqual(['hello']);
  });

  test('a text without words is one word', () => {
    const event = { ...heard('final', 0, []), text: ' はい', end: 2 } as LiveEvent;
    const [entry] = stateAfter(event).entries;
    expect(entry).toMatchObject({ words: [{ text: ' はい', start: 0, end: 2 }] });
  });

  test('silence moves the time on, and nothing else', () => {
    const state = stateAfter(heard('final', 0, ['yes']));
    expect(state.apply({ type: 'silence', id: 1, time: 12.5 })).toEqual([{ kind: 'silence' }]);
    expect(state.heard).toBe(12.5);
    state.apply({ type: 'silence', id: 1, time: 3 });
    expect(state.heard).toBe(12.5);
    expect(textsOf(state.entries)).toEqual(['yes']);
  });

  test('lag is known, and sound that was left out is a gap among the texts', () => {
    const state = stateAfter(heard('final', 0, ['before'], { start: 0 }));
    state.apply({ type: 'lag', id: 1, time: 4, lag: 6.5 });
    expect(state.lag).toBe(6.5);
    const skipped = { start: 4, end: 9 };
    const changes = state.apply({ type: 'lag', id: 1, time: 9, lag: 1.5, skipped });
    expect(changes.map(({ kind }) => kind)).toEqual(['lag', 'gap']);
    state.apply(heard('final', 1, ['after'], { start: 9 }));
    expect(textsOf(state.entries)).toEqual(['before', '…', 'after']);
    expect(state.entries[1]).toEqual({ kind: 'gap', ...skipped });
    state.apply({ type: 'lag', id: 2, time: 10, lag: 0.2, skipped: { start: 3, end: 3 } });
    expect(state.lag).toBe(0.2);
    expect(state.entries).toHaveLength(3);
  });

  test('a new stream begins its ids and times anew, where the session has got to', () => {
    const state = stateAfter(
      heard('final', 0, ['old'], { start: 1 }),
      heard('partial', 1, ['cut', 'off'], { start: 5, committed: 1 }),
      { type: 'lag', id: 1, time: 6, lag: 3 },
    );
    const changes = state.beginStream(20);
    expect(changes.map(({ kind }) => kind)).toEqual(['kept']);
    expect(state.lag).toBe(0);
    state.apply(heard('partial', 0, ['new'], { start: 2 }));
    expect(onlyOpen(state)).toMatchObject({ start: 22, end: 22.5 });
    state.apply(heard('final', 0, ['new'], { start: 2 }));
    state.apply({ type: 'lag', id: 1, time: 4, lag: 0, skipped: { start: 3, end: 4 } });
    expect(textsOf(state.entries)).toEqual(['old', 'cut off', 'new', '…']);
    expect(state.entries.map(({ start }) => start)).toEqual([1, 5, 22, 23]);
    const keys = state.entries.flatMap((entry) => (entry.kind === 'gap' ? [] : [entry.key]));
    expect(new Set(keys).size).toBe(3);
  });

  test('what is open when it ends stays as it was seen', () => {
    const state = stateAfter(heard('partial', 0, ['nearly', 'done'], { committed: 1 }));
    expect(state.close()).toHaveLength(1);
    expect(state.close()).toEqual([]);
    const [entry] = state.entries;
    expect(entry).toMatchObject({
      isFinal: true,
      words: [{ isCommitted: true }, { isCommitted: true }],
    });
  });

  test('two texts may be open at once', () => {
    const state = stateAfter(heard('partial', 0, ['first']), heard('partial', 1, ['second']));
    expect(textsOf(state.open)).toEqual(['first', 'second']);
    state.apply(heard('final', 0, ['first.']));
    expect(textsOf(state.open)).toEqual(['second']);
    expect(textsOf(state.entries)).toEqual(['first.']);
  });

  test('a revision takes the place of its texts; the order by time stays', () => {
    const gap = { start: 15, end: 17 };
    const state = stateAfter(
      heard('final', 0, ['I', 'scream']),
      heard('final', 1, ['is']),
      { type: 'lag', id: 2, time: 17, lag: 1, skipped: gap },
      heard('final', 2, ['code']),
      heard('partial', 3, ['today']),
    );
    const keys = state.entries.flatMap((entry) => (entry.kind === 'gap' ? [] : [entry.key]));
    const [change] = state.apply(heardAgain([0, 1], [0.2, 'Ice', 'cream'], [9, 'is'], [11, 'so']));
    expect(change).toMatchObject({ kind: 'revised', replaced: keys.slice(0, 2), next: keys[2] });
    expect(textsOf(state.entries)).toEqual(['Ice cream', 'is', 'so', '…', 'code']);
    const revised = state.entries.flatMap((entry) => (entry.kind === 'gap' ? [] : [entry]));
    expect(revised.map(({ key }) => key)).toEqual([...keys.slice(0, 2), revised[2]!.key, keys[2]]);
    expect(new Set(revised.map(({ key }) => key)).size).toBe(4);
    expect(revised.every(({ isFinal, words }) => isFinal && words[0]!.isCommitted)).toBe(true);
    const [open] = state.open;
    expect(state.apply(heardAgain([2], [20, 'cold']))).toMatchObject([{ next: open!.key }]);
    state.apply(heard('final', 3, ['today.']));
    expect(textsOf(state.entries)).toEqual(['Ice cream', 'is', 'so', '…', 'cold', 'today.']);
    expect(transcriptOf(state.entries, 40).text).toBe(' Ice cream is so cold today.');
  });

  test('a text that several people say is divided, and again when more is known of it', () => {
    const state = stateAfter(
      heard('final', 0, ['well', 'yes', 'no']),
      heard('final', 1, ['so']),
      heard('partial', 2, ['today']),
    );
    const [first, second] = state.entries as [Utterance, Utterance];
    const whose = (): unknown[] =>
      transcriptOf(state.entries, 40).segments.map(({ speaker, text }) => [speaker, text.trim()]);
    const [change] = state.apply(spoken([0], ['S1', 0, 'well'], ['S2', 0.5, 'yes', 'no']));
    expect(change).toMatchObject({ replaced: [first.key], next: second.key });
    expect(whose()).toEqual([
      ['S1', 'well'],
      ['S2', 'yes no'],
      [undefined, 'so'],
    ]);
    state.apply(spoken([0], ['S1', 0, 'well', 'yes'], [undefined, 1, 'no']));
    state.apply(spoken([1], ['S2', 10, 'so']));
    state.apply(spoken([2], ['S2', 20, 'today'])); // has not ended
    expect(whose()).toEqual([
      ['S1', 'well yes'],
      [undefined, 'no'],
      ['S2', 'so'],
    ]);
    expect(state.entries.map((entry) => (entry as Utterance).key)).toHaveLength(3);
    // Speech that was missed has no id.
    state.apply(heardAgain([], [5, 'hm', 'well']));
    state.apply(spoken([], ['S2', 5, 'hm'], ['S1', 5.5, 'well']));
    expect(whose().slice(2)).toEqual([
      ['S2', 'hm'],
      ['S1', 'well'],
      ['S2', 'so'],
    ]);
    // Another stream knows nobody of the one before.
    state.beginStream(40);
    state.apply(heard('final', 0, ['hello']));
    state.apply(spoken([0], ['S1', 0, 'hello']));
    const { segments, speakers } = transcriptOf(state.entries, 50);
    expect(segments.at(-1)).toMatchObject({ speaker: 'S3', words: [{ speaker: 'S3' }] });
    expect(speakers.map(({ id }) => id)).toEqual(['S1', 'S2', 'S3']);
  });

  test('a revision on both sides of a gap stays on both sides', () => {
    const state = stateAfter(
      heard('final', 0, ['one']),
      { type: 'lag', id: 1, time: 8, lag: 1, skipped: { start: 4, end: 8 } },
      heard('final', 1, ['two']),
      heardAgain([0, 1], [0, 'won'], [9, 'too']),
    );
    expect(textsOf(state.entries)).toEqual(['won', '…', 'too']);
  });

  test('nothing where nothing was said, and text where there was none', () => {
    const state = stateAfter(
      heard('final', 0, ['Thanks.']),
      heard('final', 1, []),
      heard('final', 2, ['yes']),
    );
    const [{ key }] = state.entries as [Utterance];
    expect(state.apply(heardAgain([0]))).toMatchObject([
      { kind: 'revised', replaced: [key], utterances: [] },
    ]);
    expect(textsOf(state.entries)).toEqual(['yes']);
    expect(state.apply(heardAgain([1], [10, 'no']))).toMatchObject([{ replaced: [] }]);
    expect(textsOf(state.entries)).toEqual(['no', 'yes']);
    expect(state.apply(heardAgain([1]))).toMatchObject([{ utterances: [] }]);
    expect(state.apply(heardAgain([1]))).toEqual([]);
    // Speech that was missed takes the place of no text.
    state.apply(heardAgain([], [500, 'last'], [600, 'words']));
    expect(textsOf(state.entries)).toEqual(['yes', 'last', 'words']);
    expect(new Set(state.entries.map((entry) => (entry as Utterance).key)).size).toBe(3);
  });

  test('a revision of texts that did not end, or of another stream, changes nothing', () => {
    const state = stateAfter(heard('final', 0, ['old']), heard('partial', 1, ['open']));
    expect(state.apply(heardAgain([1], [10, 'new']))).toEqual([]);
    state.beginStream(20);
    expect(state.apply(heardAgain([0], [0, 'new']))).toEqual([]);
    expect(textsOf(state.entries)).toEqual(['old', 'open']);
    state.apply(heard('final', 0, ['next'], { start: 1 }));
    state.apply(heardAgain([0], [1, 'Next']));
    expect(state.entries.at(-1)).toMatchObject({ start: 21, end: 21.5 });
    expect(textsOf(state.entries)).toEqual(['old', 'open', 'Next']);
  });

  test('the language, how sure it is, and since when it is another one', () => {
    const state = stateAfter(heard('final', 0, ['hello']));
    const say = (id: number, time: number, language: string, probability: number) =>
      state.apply({ type: 'language', id, time, language, probability });
    const [kind, en, de] = ['language', { language: 'en' }, { language: 'de' }];
    expect(say(0, 2, 'en', 0.6)).toEqual([{ kind, language: { ...en, probability: 0.6 } }]);
    expect(say(0, 3, 'en', 0.9)).toEqual([{ kind, language: { ...en, probability: 0.9 } }]);
    state.apply(heard('partial', 1, ['guten'], { start: 11 }));
    const changed = { ...de, probability: 0.7, since: 11 };
    expect(say(1, 14, 'de', 0.7)).toEqual([{ kind, language: changed }]);
    expect(say(1, 15, 'de', 0.8)).toEqual([{ kind, language: { ...changed, probability: 0.8 } }]);
    expect(say(2, 30, 'en', 0.8)).toEqual([
      { kind, language: { ...en, probability: 0.8, since: 30 } },
    ]);
    // Another model may know no languages.
    expect(state.beginStream(40)).toContainEqual({ kind, language: undefined });
    expect(say(0, 2, 'de', 1)).toEqual([{ kind, language: { ...de, probability: 1 } }]);
  });

  test('Whisper models hear again what they heard in one language; others have no such option', () => {
    const mixed = liveOptionsOf({ family: 'whisper' }, { language: 'per-window' });
    expect(mixed).toEqual({ language: 'per-utterance', maxLag: 20, revise: true });
    expect(liveOptionsOf({ family: 'whisper' }, {})).toMatchObject({ revise: true });
    expect(liveOptionsOf({ family: 'transducer' }, {})).toEqual({ vad: true });
  });

  test('thousands of events come to what their finals say', () => {
    const state = new CaptionState();
    const expected: string[] = [];
    for (let id = 0; id < 2000; ++id) {
      const words: string[] = [];
      for (let i = 0; i < 8; ++i) {
        words.push(`w${id}.${i}`);
        state.apply(heard('partial', id, [...words, 'guess'], { committed: i }));
        expect(onlyOpen(state).words).toHaveLength(i + 2);
      }
      state.apply(heard('final', id, words));
      expected.push(words.join(' '));
    }
    expect(textsOf(state.entries)).toEqual(expected);
    expect(state.open).toEqual([]);
  });
});

describe('the transcript of a live session', () => {
  test('has segments with words and times, and the language that was spoken longest', () => {
    const state = stateAfter(
      { ...heard('final', 0, ['guten', 'Tag'], { start: 0 }), language: 'de' } as LiveEvent,
      { type: 'lag', id: 1, time: 1, lag: 2, skipped: { start: 1, end: 2 } },
      { ...heard('final', 1, ['hello'], { start: 2 }), language: 'en' } as LiveEvent,
    );
    const transcript = transcriptOf(state.entries, 4);
    expect(transcript).toMatchObject({
      text: ' guten Tag hello',
      duration: 4,
      language: 'de',
      segments: [
        { start: 0, end: 1, text: ' guten Tag', language: 'de' },
        { start: 2, end: 2.5, text: ' hello', language: 'en' },
      ],
    });
    expect(transcript.segments[0]?.words).toEqual([
      { word: ' guten', start: 0, end: 0.5, probability: 0.9 },
      { word: ' Tag', start: 0.5, end: 1, probability: 0.9 },
    ]);
  });

  test('is empty, without a language, when nothing was said', () => {
    expect(transcriptOf([], 3)).toEqual({ text: '', duration: 3, segments: [], speakers: [] });
  });

  test('never ends before its last word, and no word before it begins', () => {
    const event = heard('final', 0, ['odd'], { start: 5 });
    const odd = { ...event, words: [{ word: ' odd', start: 5, end: 4, probability: 1 }] };
    const { duration, segments } = transcriptOf(stateAfter(odd).entries, 1);
    expect(duration).toBe(5.5);
    expect(segments[0]?.words[0]).toMatchObject({ start: 5, end: 5 });
  });
});
