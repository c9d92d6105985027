// What npm run evaluate:live measures, on events made by hand.
import { describe, expect, test } from '@jest/globals';
import { eventsOfSteps } from '../../scripts/evaluate/live/agreement_events.mjs';
import { VirtualClock } from '../../scripts/evaluate/live/clock.mjs';
import { differences } from '../../scripts/evaluate/live/differences.mjs';
import { hearLive, noTime } from '../../scripts/evaluate/live/hear.mjs';
import { commitLatencies, firstWordLatencies } from '../../scripts/evaluate/live/latencies.mjs';
import { withPauses } from '../../scripts/evaluate/live/material.mjs';
import { summary, together } from '../../scripts/evaluate/live/measure.mjs';
import { FinalWords, placed } from '../../scripts/evaluate/live/soak_checks.mjs';
import { missedGoals, systemTable } from '../../scripts/evaluate/live/tables.mjs';
import { followed } from '../../scripts/evaluate/live/transcript.mjs';
import type { LiveEvent, LiveLag, LiveText, Word } from '../../web/src/api/types.js';

/** " the old ferry" at one word a second from `start` on, each 0.5 s long. */
const timed = (text: string, start = 0): Word[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word, i) => ({
      ...{ word: ` ${word}`, start: start + i, end: start + i + 0.5, probability: 1 },
    }));

function text(
  type: 'partial' | 'final',
  id: number,
  said: string,
  committed = 0,
  start = 0,
): LiveText {
  const words = timed(said, start);
  return {
    ...{ type, id, words, tokens: [], text: words.map(({ word }) => word).join('') },
    ...{ time: 0, start, end: words.at(-1)?.end ?? start },
    committed: type === 'final' ? words.length : committed,
  };
}

const lag: LiveLag = { type: 'lag', id: 0, time: 1, lag: 2 };

/** Each event a second after the one before. */
const everySecond = (...events: LiveEvent[]) => events.map((event, at) => ({ at, event }));

describe('the transcript of a stream', () => {
  test('has the words of final events and of the partial under way', () => {
    const seen = followed(
      everySecond(
        text('partial', 0, 'the old'),
        text('final', 0, 'the old ferry'),
        lag,
        text('partial', 1, 'left', 0, 3),
      ),
    );
    expect(seen.text).toBe(' the old ferry left');
    expect(seen).toMatchObject({ finals: 1, lags: 1, retracted: 0, faults: [] });
  });

  test('notes when each word was committed first', () => {
    const seen = followed(
      everySecond(
        text('partial', 0, 'the odd'),
        text('partial', 0, 'the old ferry', 2),
        text('final', 0, 'the old ferry'),
        text('partial', 1, 'it left', 1, 3),
      ),
    );
    expect(seen.commits.map(({ word, at, end }) => [word, at, end])).toEqual([
      [' the', 1, 0.5],
      [' old', 1, 1.5],
      [' ferry', 2, 2.5],
      [' it', 3, 3.5],
    ]);
  });

  test('counts characters that were committed and changed, in a partial', () => {
    const seen = followed(
      everySecond(text('partial', 0, 'the old ferry', 2), text('partial', 0, 'the odd ferry', 2)),
    );
    // " the o" stays, "ld" goes.
    expect(seen.retracted).toBe(2);
    expect(seen.faults).toHaveLength(1);
  });

  test('counts them in a final that differs from what was committed', () => {
    const seen = followed(
      everySecond(text('partial', 0, 'the old', 2), text('final', 0, 'a new ferry')),
    );
    expect(seen.retracted).toBe('the old'.length);
    // What is committed first is what was read.
    expect(seen.commits.map(({ word }) => word)).toEqual([' the', ' old', ' ferry']);
  });

  test('counts them in an id that is never closed', () => {
    const seen = followed(
      everySecond(text('partial', 0, 'the old', 1), text('partial', 1, 'ferry', 0)),
    );
    expect(seen.retracted).toBe(' the'.length);
  });

  test('does not count words that move to the next id', () => {
    const seen = followed([
      { at: 0, event: text('partial', 0, 'the old ferry', 2) },
      { at: 1, event: text('final', 0, 'the old') },
      { at: 1, event: text('partial', 1, 'ferry left', 1, 2) },
    ]);
    expect(seen).toMatchObject({ retracted: 0, faults: [] });
    expect(seen.churn).toMatchObject({ removed: 0 });
  });

  test.each<[string, LiveEvent[]]>([
    ['an id that has ended', [text('final', 0, 'a'), text('partial', 0, 'b', 0, 1)]],
    ['an id that falls', [text('partial', 2, 'a'), text('partial', 1, 'a')]],
    ['a text that is not its words', [{ ...text('partial', 0, 'a b'), text: ' a c' }]],
    ['more committed words than words', [text('partial', 0, 'a', 2)]],
    ['fewer committed words', [text('partial', 0, 'a b', 2), text('partial', 0, 'a b', 1)]],
    ['a committed word that moves', [text('partial', 0, 'a', 1), text('partial', 0, 'a', 1, 3)]],
    ['times that run back', [{ ...text('partial', 0, ''), words: timed('b', -1), text: ' b' }]],
  ])('is told of %s', (_, events) => {
    expect(followed(everySecond(...events)).faults.length).toBeGreaterThan(0);
  });
});

describe('provisional text that changed', () => {
  const churnOf = (...events: LiveEvent[]) => {
    const { shown, removed } = followed(everySecond(...events)).churn;
    return { shown, removed };
  };

  test('is none where text only grows', () => {
    expect(churnOf(text('partial', 0, 'the'), text('partial', 0, 'the old'))).toEqual({
      ...{ shown: ' the old'.length, removed: 0 },
    });
  });

  test('is what stands behind the first character that changes', () => {
    expect(churnOf(text('partial', 0, 'the odd ferry'), text('partial', 0, 'the old'))).toEqual({
      // " the odd ferry", then "ld" anew; "dd ferry" is taken away.
      ...{ shown: 14 + 2, removed: 8 },
    });
  });

  test('is not what was committed at once', () => {
    expect(churnOf(text('partial', 0, 'the old', 2), text('final', 0, 'the old'))).toEqual({
      ...{ shown: 0, removed: 0 },
    });
  });

  test('is text that vanishes', () => {
    expect(churnOf(text('partial', 0, 'you'), text('partial', 0, ''))).toEqual({
      ...{ shown: 4, removed: 4 },
    });
  });

  test('is not a retraction twice', () => {
    const seen = followed(everySecond(text('partial', 0, 'a b', 2), text('final', 0, 'a c')));
    expect(seen.retracted).toBe(1);
    expect(seen.churn.removed).toBe(0);
  });
});

describe('latencies', () => {
  const said = timed('the old ferry left the island');

  test('of commits count from the end of the word in the sound', () => {
    const seen = followed([
      { at: 2, event: text('partial', 0, 'The', 1) },
      { at: 3, event: text('final', 0, 'The old, fairy left') },
      { at: 7, event: text('final', 1, 'the island.', 0, 4) },
    ]);
    // "ferry" was heard wrongly.
    expect(commitLatencies(said, seen.commits)).toEqual([1.5, 1.5, -0.5, 2.5, 1.5]);
  });

  test('of first words count from the beginning of the utterance to the first word shown', () => {
    const utterances = [
      { start: 0, end: 2.5 },
      { start: 10, end: 11.5 },
      { start: 20, end: 21.5 },
    ];
    const seen = followed([
      { at: 0.75, event: text('partial', 0, 'the') },
      { at: 9, event: text('final', 0, 'the old ferry') },
      // A word in the pause is none of the utterance's.
      { at: 10.5, event: text('partial', 1, 'um', 0, 5) },
      { at: 11.25, event: text('partial', 1, 'um left', 0, 9.25) },
    ]);
    expect(firstWordLatencies(utterances, seen.shown)).toEqual([0.75, 1.25, Infinity]);
  });

  test('of first words do not profit from a word of the utterance before', () => {
    const utterances = [
      { start: 0, end: 1 },
      { start: 5, end: 6 },
    ];
    const seen = followed([{ at: 6, event: text('final', 0, 'the', 0, 0) }]);
    expect(firstWordLatencies(utterances, seen.shown)).toEqual([6, Infinity]);
  });
});

describe('sound on a virtual clock', () => {
  const sampleRate = 16_000;
  /** A recogniser that takes `cost(samples)` seconds, and commits " a" each time. */
  function slow(cost: (samples: number) => number) {
    let seconds = 0;
    const fed: number[] = [];
    let id = 0;
    const stream = (onEvent: (event: LiveEvent) => void) => ({
      feed: (samples: Float32Array) => {
        fed.push(samples.length / sampleRate);
        seconds += cost(samples.length);
        onEvent(text('final', id++, 'a'));
        return Promise.resolve();
      },
      end: () => Promise.resolve(),
      processorSeconds: () => seconds,
    });
    const open = (onEvent: (event: LiveEvent) => void) => Promise.resolve(stream(onEvent));
    return { fed, open, clockOf: () => new VirtualClock(() => seconds) };
  }
  const second = new Float32Array(sampleRate);

  test('comes block by block, and events when the work is done', async () => {
    const { fed, open, clockOf } = slow(() => 0.125);
    const heard = await hearLive(open, second, clockOf, 0.25);
    expect(fed).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect(heard.deliveries.map(({ at }) => at)).toEqual([0.375, 0.625, 0.875, 1.125]);
    expect(heard).toMatchObject({ processorSeconds: 0.5, behind: 0.25 });
  });

  test('waits while there is work, and is given together', async () => {
    const { fed, open, clockOf } = slow(() => 0.625);
    const heard = await hearLive(open, second, clockOf, 0.25);
    // 0.25 s at 0.25; 0.5 and 0.75 have come at 0.875; 1.0 long before 1.5.
    expect(fed).toEqual([0.25, 0.5, 0.25]);
    expect(heard.deliveries.map(({ at }) => at)).toEqual([0.875, 1.5, 2.125]);
    expect(heard.behind).toBe(0.5);
  });

  test('comes whole, whatever the length', async () => {
    const { fed, open } = slow(() => 1);
    await hearLive(open, new Float32Array(sampleRate + 7), noTime, 0.25);
    expect(fed.reduce((sum, one) => sum + one, 0)).toBe((sampleRate + 7) / sampleRate);
    expect(fed).toHaveLength(5);
  });
});

describe('the loop around faster-whisper', () => {
  test('tells lines that grow until their sound is let go', () => {
    const events: LiveText[] = [];
    const tell = eventsOfSteps((event) => events.push(event as LiveText));
    const step = (committed: string, provisional: string, isTrimmed = false) => {
      tell({ time: 1, committed: timed(committed), provisional: timed(provisional), isTrimmed });
    };
    step('', '');
    step('', 'the odd');
    step('the', 'old');
    step('old ferry', 'left', true);
    step('', '');
    step('', '');
    expect(
      events.map(({ type, id, text: said, committed }) => [type, id, said, committed]),
    ).toEqual([
      ['partial', 0, ' the odd', 0],
      ['partial', 0, ' the old', 1],
      ['final', 0, ' the old ferry', 3],
      ['partial', 1, ' left', 0],
      ['partial', 1, '', 0],
    ]);
  });
});

describe('utterances with pauses', () => {
  test('keep their words and places', () => {
    const one = { samples: new Float32Array(16_000).fill(1), truth: 'a b', words: timed('a b') };
    const made = withPauses([one, one], 'test');
    for (const [i, { start, end }] of made.utterances.entries()) {
      expect(end - start).toBeCloseTo(1);
      expect(made.words[2 * i]?.start).toBeCloseTo(start);
      expect(made.samples[Math.round(start * 16_000)]).toBe(1);
      expect(made.samples[Math.round(start * 16_000) - 1]).toBe(0);
    }
    const [first, second] = made.utterances;
    const pause = (second?.start ?? 0) - (first?.end ?? 0);
    expect(pause).toBeGreaterThanOrEqual(0.29);
    expect(pause).toBeLessThanOrEqual(3.01);
    expect(made.truth).toBe('a b a b');
    const again = withPauses([one, one], 'test');
    expect(Buffer.from(again.samples.buffer).equals(Buffer.from(made.samples.buffer))).toBe(true);
    expect(again.words).toEqual(made.words);
  });
});

const figures = {
  ...{ words: 100, offlineErrors: 10, liveErrors: 12, firsts: [1, 2, 3], commits: [1, 1, 4] },
  ...{ rights: [0.25, 0.5, 0.75] },
  ...{ retracted: 0, shown: 200, removed: 50, processorSeconds: 30, speechSeconds: 60 },
  ...{ lags: 1, behind: 0.5 },
};

describe('figures', () => {
  test('of several recordings are added up, not averaged', () => {
    const more = { ...figures, words: 300, liveErrors: 16, commits: [9], behind: 2 };
    const sum = together([figures, more]);
    expect(sum).toMatchObject({ words: 400, liveErrors: 28, behind: 2, lags: 2 });
    expect(summary(sum)).toMatchObject({ live: 7, offline: 5, pointsMore: 2, lateCommit: 9 });
  });

  test('are shares of what they are of', () => {
    expect(summary(figures)).toMatchObject({
      changed: 25,
      processor: 0.5,
      firstWord: 2,
      commit: 1,
    });
    expect(summary({ ...figures, shown: 0, removed: 0 }).changed).toBe(0);
  });

  const row = (changes: Partial<typeof figures>, invented: Record<string, number> = {}) => ({
    ...{ title: 'ours', variant: 'simd', isOwn: true, hears: 'speech', invented },
    sounds: [
      {
        ...{ ...figures, liveErrors: 10, commits: [1, 1, 2], ...changes },
        ...{ sound: 'one', faults: [], texts: { said: [], offline: [], live: [] } },
      },
    ],
  });

  test.each<[Partial<typeof figures>, Record<string, number>, string]>([
    [{ liveErrors: 12 }, {}, 'word errors'],
    [{ commits: [2, 2, 2] }, {}, 'median word'],
    [{ commits: [1, 1, 4] }, {}, '95 %'],
    [{ commits: [] }, {}, 'median word'],
    [{ retracted: 1 }, {}, 'retracted'],
    [{ processorSeconds: 31 }, {}, 'processor'],
    [{}, { music: 4 }, 'hour of music'],
  ])('%j, %j: a goal is missed', (changes, invented, what) => {
    expect(missedGoals([row(changes, invented)]).join()).toContain(what);
  });

  test('that reach the goals miss none, and others have no goals', () => {
    expect(missedGoals([row({}, { music: 0 })])).toEqual([]);
    expect(missedGoals([{ ...row({ retracted: 9 }), isOwn: false }])).toEqual([]);
    expect(missedGoals([{ ...row({ retracted: 9 }), hears: 'digits' }])).toEqual([]);
  });

  test('are a line each, with a cell for what was not measured', () => {
    const table = systemTable([
      row({}, { music: 0.4 }),
      { ...row({ firsts: [Infinity] }), title: 'other' },
    ]);
    const [, , first, second] = table.split('\n');
    expect(first).toBe(
      '| ours | simd | 10.0 % | 10.0 % | +0.0 | 2.00 | 0.50 | 0.75 | 1.00 | 2.00 | 0 | 25.0 % | 0.50 | 1 | 0.50 | 0 |',
    );
    expect(second).toContain('| never |');
    expect(second?.endsWith('|  |')).toBe(true);
    const alone = systemTable([{ ...row({}, { music: 2 }), sounds: [] }]);
    expect(alone.split('\n')[2]).toMatch(/^\| ours \| simd (\| {2}){13}\| 2 \|$/);
  });
});

describe('differences of texts', () => {
  test('show what was said there', () => {
    const said = 'one two three four five six seven eight nine'.split(' ');
    const offline = [...said.slice(0, 4), 'fife', ...said.slice(5)];
    const live = [...said.slice(0, 4), 'hive', 'mind', ...said.slice(5)];
    expect(differences({ said, offline, live })).toEqual([
      {
        said: 'two three four five six seven eight',
        offline: 'two three four fife six seven eight',
        live: 'two three four hive mind six seven eight',
      },
    ]);
    expect(differences({ said, offline, live: offline })).toEqual([]);
  });

  test('are found at both ends', () => {
    const texts = { said: ['a', 'b'], offline: ['a', 'b'], live: ['x', 'a', 'b', 'you'] };
    expect(differences(texts)).toHaveLength(2);
  });
});

describe('the checks of a soak', () => {
  const sound = {
    utterances: [
      { start: 1, end: 3 },
      { start: 6, end: 8 },
    ],
    words: [...timed('the old', 1), ...timed('ferry left', 6)],
  };

  test('find nothing where words lie in their clips', () => {
    expect(placed(sound, 100, [...timed('the old', 101.25), ...timed('ferry', 106.25)])).toEqual({
      ...{ words: 4, errors: 1, differences: [0.25, 0.25, 0.25], misplaced: 0, outside: 0 },
    });
  });

  test('find words in another clip, and in none', () => {
    const drifted = [...timed('the old', 101), ...timed('ferry', 102.2)];
    expect(placed(sound, 100, drifted)).toMatchObject({ misplaced: 1, outside: 0 });
    expect(placed(sound, 100, timed('thanks', 104.25))).toMatchObject({ outside: 1, misplaced: 0 });
  });

  test('take words once, by their time', () => {
    const events = new FinalWords();
    events.take(text('partial', 0, 'the odd'));
    events.take(text('final', 0, 'the old ferry'));
    expect(events.takeBefore(2).map(({ word }) => word)).toEqual([' the', ' old']);
    expect(events.takeBefore(9).map(({ word }) => word)).toEqual([' ferry']);
    expect(events).toMatchObject({ finals: 1, retracted: 0 });
  });

  test.each<[string, LiveEvent[]]>([
    ['in a partial', [text('partial', 0, 'the old', 2), text('partial', 0, 'the odd', 2)]],
    ['in a final', [text('partial', 0, 'the', 1), text('final', 0, 'a')]],
    ['with its id', [text('partial', 0, 'the', 1), text('partial', 1, 'the', 1)]],
  ])('count what is taken back %s', (_, events) => {
    const words = new FinalWords();
    for (const event of events) words.take(event);
    expect(words.retracted).toBeGreaterThan(0);
  });
});
