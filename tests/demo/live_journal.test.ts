import { describe, expect, test } from '@jest/globals';
import { CaptionState } from '../../web/demo/live/caption_state.js';
import {
  forgetSession,
  headName,
  openName,
  pieceName,
  readCheckpoint,
  storedSessions,
} from '../../web/demo/live/checkpoint.js';
import type { Checkpoint } from '../../web/demo/live/checkpoint.js';
import { Journal, writeEvery } from '../../web/demo/live/journal.js';
import { textOf } from '../../web/demo/live/live_transcript.js';
import type { TextStore } from '../../web/demo/shell/text_store.js';
import { heard, heardAgain, spoken } from './live_events.js';

class MapStore implements TextStore {
  readonly texts = new Map<string, string>();
  writes = 0;
  /** Characters that fit. */
  room = Infinity;

  names(prefix: string): string[] {
    return [...this.texts.keys()].filter((name) => name.startsWith(prefix)).reverse();
  }

  get(name: string): string | null {
    return this.texts.get(name) ?? null;
  }

  set(name: string, text: string): void {
    const others = [...this.texts].filter(([one]) => one !== name);
    const used = others.reduce((sum, [one, each]) => sum + one.length + each.length, 0);
    if (used + text.length > this.room) throw new DOMException('full', 'QuotaExceededError');
    this.writes += 1;
    this.texts.set(name, text);
  }

  remove(name: string): void {
    this.texts.delete(name);
  }
}

const head = { id: 'one', began: 1_700_000_000_000, model: 'tiny.en', source: 'Microphone' };
const never = (error: unknown): void => {
  throw error;
};

const textsOf = ({ entries }: Checkpoint): string[] =>
  entries.map((entry) => (entry.kind === 'gap' ? '…' : textOf(entry).trim()));

describe('the journal of a live session', () => {
  test('a checkpoint gives back what was final, what was open, and the gaps', () => {
    const store = new MapStore();
    const state = new CaptionState();
    const journal = new Journal(store, head, never);
    state.apply({ ...heard('final', 0, ['guten', 'Tag'], { start: 1 }), language: 'de' } as never);
    state.apply({ type: 'lag', id: 1, time: 4, lag: 9, skipped: { start: 2, end: 4 } });
    state.apply(heard('partial', 1, ['and', 'then'], { start: 4, committed: 1 }));
    state.apply({ type: 'silence', id: 1, time: 9.1234567 });
    state.apply(heard('final', 2, ['hm'], { start: 6 }));
    state.apply(spoken([2], ['S1', 6, 'hm']));
    journal.write(state, 0);
    expect(storedSessions(store)).toEqual(['one']);
    const checkpoint = readCheckpoint(store, 'one');
    expect(checkpoint).toMatchObject({ head, duration: 9.123, damaged: 0 });
    expect(textsOf(checkpoint)).toEqual(['guten Tag', '…', 'hm', 'and then']);
    expect(checkpoint.entries[0]).toMatchObject({
      start: 1,
      end: 2,
      language: 'de',
      words: [
        { text: ' guten', start: 1, end: 1.5, probability: 0.9 },
        { text: ' Tag', start: 1.5, end: 2, probability: 0.9 },
      ],
    });
    expect(checkpoint.entries[1]).toEqual({ kind: 'gap', start: 2, end: 4 });
    expect(checkpoint.entries[2]).toMatchObject({ speaker: 'S1', words: [{ text: ' hm' }] });
    expect(checkpoint.entries[2]).not.toHaveProperty('language');
  });

  test('writes at most every few seconds, and no more than 5 s are ever missing', () => {
    expect(writeEvery).toBeLessThanOrEqual(5000);
    const store = new MapStore();
    const state = new CaptionState();
    const journal = new Journal(store, head, never);
    let writtenAt = 0;
    let times = 0;
    for (let now = 0; now < 60_000; now += 100) {
      state.apply(heard('final', now, [`w${now}`], { start: now / 1000 }));
      const before = store.writes;
      journal.note(state, now);
      if (store.writes > before) {
        if (times > 0) expect(now - writtenAt).toBeGreaterThanOrEqual(writeEvery);
        writtenAt = now;
        times += 1;
      }
      expect(now - writtenAt).toBeLessThan(5000);
      expect(textsOf(readCheckpoint(store, 'one')).at(-1)).toBe(`w${writtenAt}`);
    }
    expect(times).toBe(20);
  });

  test('writes nothing before something is heard, and nothing twice', () => {
    const store = new MapStore();
    const state = new CaptionState();
    const journal = new Journal(store, head, never);
    state.apply({ type: 'silence', id: 0, time: 3 });
    journal.write(state, 0);
    expect(store.writes).toBe(0);
    state.apply(heard('final', 0, ['yes']));
    journal.write(state, 1);
    const { writes } = store;
    journal.write(state, 2);
    expect(store.writes).toBe(writes);
  });

  test('hours of text go into pieces that are not written again', () => {
    const store = new MapStore();
    const state = new CaptionState();
    const journal = new Journal(store, head, never);
    const words = Array.from({ length: 12 }, (_, i) => `word${i}`);
    let longest = 0;
    for (let id = 0; id < 600; ++id) {
      state.apply(heard('final', id, [`u${id}`, ...words], { start: id * 10 }));
      const before = new Map(store.texts);
      journal.write(state, id);
      const changed = [...store.texts].filter(([name, text]) => before.get(name) !== text);
      longest = Math.max(longest, ...changed.map(([, text]) => text.length));
    }
    expect(longest).toBeLessThan(20_000);
    const { entries, damaged } = readCheckpoint(store, 'one');
    expect(damaged).toBe(0);
    expect(entries).toHaveLength(600);
    expect(entries.map(({ start }) => start)).toEqual(state.entries.map(({ start }) => start));
  });

  test('what is heard again is written, also in a piece that was done, and nothing stays twice', () => {
    const store = new MapStore();
    const state = new CaptionState();
    const journal = new Journal(store, head, never);
    const long = 'x'.repeat(300);
    const words = (id: number): string[] => [`u${id}`, ...Array<string>(20).fill(long)];
    const read = (): string[] => textsOf(readCheckpoint(store, 'one'));
    for (let id = 0; id < 8; ++id) {
      state.apply(heard('final', id, words(id)));
      journal.write(state, id);
    }
    const pieces = (): string[] =>
      [...store.texts.keys()].filter((name) => /\.\d+$/.test(name)).sort();
    expect(pieces()).toEqual([0, 1, 2].map((at) => pieceName('one', at)));
    const first = store.get(pieceName('one', 0));
    state.apply(heardAgain([4, 5, 6, 7], [40, 'short']));
    journal.write(state, 9);
    expect(read().map((text) => text.split(' ')[0])).toEqual(['u0', 'u1', 'u2', 'u3', 'short']);
    expect(store.get(pieceName('one', 0))).toBe(first);
    state.apply(heardAgain([0, 1, 2, 3]));
    journal.write(state, 10);
    expect(read()).toEqual(['short']);
    expect(pieces()).toEqual([pieceName('one', 0)]);
    state.apply(heard('final', 8, ['more']));
    journal.write(state, 11);
    expect(read()).toEqual(['short', 'more']);
    const { writes } = store;
    journal.write(state, 12);
    expect(store.writes).toBe(writes);
    state.apply(heardAgain([4, 8]));
    journal.write(state, 13);
    expect(read()).toEqual([]);
  });

  test('a store that is full is told once, and what was written before stays', () => {
    const store = new MapStore();
    const errors: unknown[] = [];
    const state = new CaptionState();
    const journal = new Journal(store, head, (error) => errors.push(error));
    state.apply(heard('final', 0, ['kept']));
    journal.write(state, 0);
    store.room = 0;
    for (let id = 1; id < 5; ++id) {
      state.apply(heard('final', id, ['lost']));
      journal.write(state, id);
    }
    expect(journal.isRefused).toBe(true);
    expect(errors).toHaveLength(1);
    expect(textsOf(readCheckpoint(store, 'one'))).toEqual(['kept']);
  });

  test('forgets its own session alone, and bears a store that refuses even that', () => {
    const store = new MapStore();
    const state = new CaptionState();
    state.apply(heard('final', 0, ['yes']));
    const [first, second] = ['one', 'one.two'].map(
      (id) => new Journal(store, { ...head, id }, never),
    );
    first?.write(state, 0);
    second?.write(state, 0);
    expect(storedSessions(store).sort()).toEqual(['one', 'one.two']);
    second?.forget();
    expect(storedSessions(store)).toEqual(['one']);
    store.remove = never;
    expect(() => first?.forget()).not.toThrow();
  });
});

describe('a damaged checkpoint', () => {
  function written(): MapStore {
    const store = new MapStore();
    const state = new CaptionState();
    const journal = new Journal(store, head, never);
    state.apply(heard('final', 0, ['one', 'two']));
    state.apply(heard('final', 1, ['three']));
    state.apply(heard('partial', 2, ['open']));
    journal.write(state, 0);
    return store;
  }

  test('without a head it is still read', () => {
    for (const text of [undefined, '{"began":', '[]', 'null', '{"began":-1,"model":3}']) {
      const store = written();
      if (text === undefined) store.remove(headName('one'));
      else store.set(headName('one'), text);
      const { head: read, ...rest } = readCheckpoint(store, 'one');
      expect(read).toEqual({ id: 'one', began: 0, model: '', source: '' });
      expect(textsOf({ head, ...rest })).toEqual(['one two', 'three', 'open']);
    }
  });

  test('a piece that is cut off is left out and counted', () => {
    const store = written();
    const whole = store.get(pieceName('one', 0)) ?? '';
    store.set(pieceName('one', 0), whole.slice(0, -9));
    store.set(pieceName('one', 1), '[[30,31,[[" later",30,31,1]]]]');
    const checkpoint = readCheckpoint(store, 'one');
    expect(textsOf(checkpoint)).toEqual(['later', 'open']);
    expect(checkpoint.damaged).toBe(1);
  });

  test('a missing piece is counted', () => {
    const store = written();
    store.set(pieceName('one', 2), '[[30,31,[[" later",30,31,1]]]]');
    const checkpoint = readCheckpoint(store, 'one');
    expect(textsOf(checkpoint)).toEqual(['one two', 'three', 'later', 'open']);
    expect(checkpoint.damaged).toBe(1);
  });

  test.each([
    ['no list', '{}'],
    ['a number', '7'],
    ['entries that are none', '[null,3,"x",[],[1],[2,1],["a",2],[1,null]]'],
    ['words that are none', '[[1,2,[null,[],["x"],[3,1,2],["y",-1,2]]]]'],
    ['words that are no list', '[[1,2,{}],[1,2,null]]'],
  ])('%s in a piece leave the rest readable', (_, text) => {
    const store = written();
    store.set(pieceName('one', 1), text);
    const checkpoint = readCheckpoint(store, 'one');
    expect(textsOf(checkpoint)).toEqual(['one two', 'three', 'open']);
    expect(checkpoint.damaged).toBeGreaterThan(0);
  });

  test('a word that is damaged costs that word', () => {
    const store = written();
    store.set(pieceName('one', 1), '[[30,31,[[" good",30,31,1],[" bad",null,31,1]]]]');
    const checkpoint = readCheckpoint(store, 'one');
    expect(textsOf(checkpoint)).toEqual(['one two', 'three', 'good', 'open']);
    expect(checkpoint.damaged).toBe(1);
  });

  test('what is open is left out when it is damaged, or had just become final', () => {
    const store = written();
    store.set(openName('one'), '{"heard":"long","entries":{}}');
    expect(textsOf(readCheckpoint(store, 'one'))).toEqual(['one two', 'three']);
    store.set(openName('one'), '{"heard":12,"entries":[[10,10.5,[[" three",10,10.5,1]]]]}');
    const checkpoint = readCheckpoint(store, 'one');
    expect(textsOf(checkpoint)).toEqual(['one two', 'three']);
    expect(checkpoint).toMatchObject({ duration: 12, damaged: 0 });
  });

  test('other names in the store do not matter', () => {
    const store = new MapStore();
    store.set('susurrus.live.', 'x');
    store.set('susurrus.livestock', 'x');
    store.set('susurrus.live.one.notes', 'x');
    expect(storedSessions(store)).toEqual(['one']);
    expect(textsOf(readCheckpoint(store, 'one'))).toEqual([]);
    forgetSession(store, 'one');
    expect(store.texts.size).toBe(2);
  });
});
