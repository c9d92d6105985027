// Which texts of live captions share a line on the demo page.
import { describe, expect, test } from '@jest/globals';
import type { Entry, Revised, Utterance } from '../../web/demo/live/caption_state.js';
import { lackingSpace, linesOf, LiveLines, type Line } from '../../web/demo/live/live_lines.js';

/** A text of one word, whose time reaches to the next one's as that of some models does. */
const said = (
  text: string,
  start: number,
  end: number,
  more: Partial<Pick<Utterance, 'language' | 'speaker'>> = {},
): Utterance => ({
  ...{ kind: 'utterance', key: text, start: start - 0.5, end: end + 5, isFinal: true },
  words: [{ key: text, text: ` ${text}`, start, end, probability: 1, isCommitted: true }],
  ...more,
});

/** The lines' texts. */
const told = (lines: readonly Line[]): string[] =>
  lines.map((line) =>
    line.map((entry) => (entry.kind === 'gap' ? '…' : entry.words[0]!.text)).join(''),
  );

describe('lines of live captions', () => {
  test('M16: a pause of less than a second ends none', () => {
    const entries = [said('in his book.', 0, 2), said('Capital', 2.6, 3), said('is', 4, 5)];
    expect(told(linesOf(entries))).toEqual([' in his book. Capital', ' is']);
  });

  test('end where another one speaks, or in another language; one that is not known yet ends none', () => {
    const languages = ['en', undefined, 'en', undefined, 'de'].map((language, at) =>
      said(`${at}`, at, at + 0.9, language === undefined ? {} : { language }),
    );
    expect(told(linesOf(languages))).toEqual([' 0 1 2 3', ' 4']);
    const people = ['S1', 'S1', 'S2', undefined].map((speaker, at) =>
      said(`${at}`, at, at + 0.9, speaker === undefined ? {} : { speaker }),
    );
    expect(told(linesOf(people))).toEqual([' 0 1', ' 2', ' 3']);
  });

  test('end where something was left out, and once they are long', () => {
    const gap: Entry = { kind: 'gap', start: 1, end: 1.5 };
    expect(told(linesOf([said('before', 0, 1), gap, said('after', 1.5, 2)]))).toEqual([
      ...[' before', '…', ' after'],
    ]);
    const long = 'x'.repeat(599);
    expect(linesOf([said(long, 0, 1), said('b', 1, 2), said('c', 2, 3)])).toHaveLength(2);
  });

  test('a space stands between texts that bring none, but in languages that have none', () => {
    const bare = (language?: string): Utterance => {
      const { words, ...text } = said('a', 0, 1, language === undefined ? {} : { language });
      return { ...text, words: words.map((word) => ({ ...word, text: 'a' })) };
    };
    expect([said('a', 0, 1), bare(), bare('ja')].map(lackingSpace)).toEqual(['', ' ', '']);
  });
});

function sessionOf(entries: readonly Entry[]): LiveLines {
  const session = new LiveLines();
  for (const entry of entries) session.add(entry);
  return session;
}

describe('what is heard again', () => {
  const entries = [
    ...[said('a', 0, 1), said('b', 1.5, 2), said('c', 2.5, 3)],
    ...[said('d', 6, 7), said('e', 7.5, 8), said('f', 20, 21)],
  ];
  /** The lines afterwards. */
  function after(revised: Omit<Revised, 'kind'>, said: readonly Entry[] = entries): string[] {
    const session = sessionOf(said);
    session.revise({ kind: 'revised', ...revised });
    return told(session.all);
  }

  test('the lines before', () => {
    expect(told(sessionOf(entries).all)).toEqual([' a b c', ' d e', ' f']);
  });

  test('takes its place within a line', () => {
    const utterances = [said('B', 1.5, 2)];
    expect(after({ replaced: ['b'], utterances, next: 'c' })).toEqual([' a B c', ' d e', ' f']);
  });

  test('takes the place of all of a line, and goes on with the one before', () => {
    const utterances = [said('D', 3.5, 7)];
    expect(after({ replaced: ['d', 'e'], utterances, next: 'f' })).toEqual([' a b c D', ' f']);
  });

  test('takes the place of texts of two lines', () => {
    const utterances = [said('C', 2.5, 3), said('D', 3.2, 7)];
    expect(after({ replaced: ['c', 'd'], utterances, next: 'e' })).toEqual([' a b C D e', ' f']);
  });

  test('leaves what was left out where it was', () => {
    const gap: Entry = { kind: 'gap', start: 1, end: 1.5 };
    const utterances = [said('A', 0, 0.9), said('B', 1.5, 2)].map((one, at) => ({
      ...one,
      start: at * 1.5,
    }));
    expect(
      after({ replaced: ['a', 'b'], utterances, next: undefined }, [
        ...[said('a', 0, 1), gap, said('b', 1.5, 2)],
      ]),
    ).toEqual([' A', '…', ' B']);
  });

  test('is somebody else’s from a word on', () => {
    const utterances = [said('b', 1.5, 1.7), said('B', 1.7, 2, { speaker: 'S2' })];
    expect(after({ replaced: ['b'], utterances, next: 'c' })).toEqual([
      ...[' a b', ' B', ' c', ' d e', ' f'],
    ]);
  });

  test('was nothing', () => {
    expect(after({ replaced: ['a', 'b', 'c'], utterances: [], next: 'd' })).toEqual([
      ...[' d e', ' f'],
    ]);
    expect(after({ replaced: ['f'], utterances: [], next: undefined })).toEqual([' a b c', ' d e']);
  });

  test('comes where nothing was, before what follows or at the end', () => {
    expect(after({ replaced: [], utterances: [said('D', 5, 5.5)], next: 'd' })).toEqual([
      ...[' a b c', ' D d e', ' f'],
    ]);
    expect(after({ replaced: [], utterances: [said('g', 21, 22)], next: 'open' })).toEqual([
      ...[' a b c', ' d e', ' f g'],
    ]);
    expect(after({ replaced: [], utterances: [said('a', 0, 1)], next: undefined }, [])).toEqual([
      ' a',
    ]);
  });
});

describe('a thousand sessions of chance', () => {
  let state = 1;
  /** From 0 to below `count`. */
  const chance = (count: number): number => {
    state = Math.imul(state, 1664525) + 1013904223;
    return Math.floor(((state >>> 0) / 2 ** 32) * count);
  };
  const some = <T>(list: readonly T[]): T => list[chance(list.length)]!;
  const isText = (entry: Entry | undefined): entry is Utterance => entry?.kind === 'utterance';

  /** Keys are never given again. */
  let made = 0;
  const anything = (start: number): Utterance => {
    made += 1;
    const text = chance(12) === 0 ? 'x'.repeat(250) : `${made}`;
    const [language, speaker] = [some([undefined, 'en', 'en', 'de']), some([undefined, 'S1'])];
    return {
      ...said(text, start, start + some([0.2, 0.4, 0.9]), {
        ...(language !== undefined && { language }),
        ...(speaker !== undefined && { speaker }),
      }),
      ...{ key: `${made}`, start },
    };
  };

  /** A few of them in a row, or a place where none was, are heard again. */
  function revisionOf(entries: readonly Entry[]): Revised {
    const from = chance(entries.length + 1);
    const going = entries.slice(from, from + chance(5)).filter(isText);
    const time = going[0]?.start ?? (entries[from - 1]?.start ?? 0) + 0.1;
    const utterances = Array.from({ length: chance(4) }, (_, i) => {
      const one = anything(time + i * 0.3);
      return { ...one, key: going[i]?.key ?? one.key };
    });
    const end = going.length === 0 ? from : entries.indexOf(going.at(-1)!) + 1;
    const next = entries.slice(end).find(isText)?.key ?? some([undefined, 'open']);
    return { kind: 'revised', replaced: going.map(({ key }) => key), utterances, next };
  }

  /** What LiveLines does, over all lines. */
  function plainly(lines: readonly Line[], { replaced, utterances, next }: Revised): Line[] {
    const isGoing = (entry: Entry) => isText(entry) && replaced.includes(entry.key);
    const isNext = (entry: Entry) => isText(entry) && entry.key === next;
    const touched = [...lines.keys()].filter((i) =>
      lines[i]!.some((entry) => isGoing(entry) || isNext(entry)),
    );
    const from = Math.max(0, (touched[0] ?? lines.length) - 1);
    const to = (touched.at(-1) ?? lines.length - 1) + 1;
    const entries = lines.slice(from, to).flat();
    const first = entries.findIndex(isGoing);
    const at = first >= 0 ? first : entries.findIndex(isNext);
    const [head, rest] = at < 0 ? [entries, []] : [entries.slice(0, at), entries.slice(at)];
    const tail = rest.slice(rest.findLastIndex(isGoing) + 1);
    const amid = rest.slice(0, rest.length - tail.length).filter((entry) => !isGoing(entry));
    const placed = [...amid, ...utterances].sort((a, b) => a.start - b.start);
    return [...lines.slice(0, from), ...linesOf([...head, ...placed, ...tail]), ...lines.slice(to)];
  }

  const keysOf = (lines: readonly Line[]): string =>
    lines
      .map((line) => line.map((entry) => (isText(entry) ? entry.key : entry.start)).join(' '))
      .join('\n');

  test('have the lines that a plain way makes of them, which are those that were told to change', () => {
    const wrong: string[] = [];
    const check = (got: readonly Line[], wanted: readonly Line[]): void => {
      if (keysOf(got) !== keysOf(wanted)) wrong.push(`${keysOf(got)}\n\n${keysOf(wanted)}`);
    };
    for (let session = 0; session < 1000; ++session) {
      const lines = new LiveLines();
      const shown: Line[] = [];
      let [plain, time]: [Line[], number] = [[], 0];
      for (let step = 0; step < 12; ++step) {
        if (chance(3) > 0) {
          time += some([0.5, 1, 2, 3]);
          const entry: Entry =
            chance(8) === 0 ? { kind: 'gap', start: time, end: time + 1 } : anything(time);
          const last = plain.at(-1) ?? [];
          plain = [...plain.slice(0, -1), ...linesOf([...last, entry])];
          if (lines.add(entry)) shown[shown.length - 1] = [...shown.at(-1)!, entry];
          else shown.push([entry]);
        } else {
          const revised = revisionOf(plain.flat());
          const { from, before, lines: others } = lines.revise(revised);
          check(before, shown.slice(from, from + before.length));
          shown.splice(from, before.length, ...others);
          plain = plainly(plain, revised);
        }
        check(lines.all, plain);
        check(lines.all, shown);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('cost a revision what it changes, however long they are', () => {
    const lines = new LiveLines();
    for (let i = 0; i < 2000; ++i) lines.add(said(`${i}`, i * 3, i * 3 + 1));
    let looks = 0;
    const watched = lines.all as Line[];
    for (const [i, line] of watched.slice(0, 1900).entries()) {
      Object.defineProperty(watched, i, { get: () => ((looks += 1), line), configurable: true });
    }
    for (const next of ['1999', 'open', undefined]) {
      const [start, replaced] = [1998 * 3, ['1998']];
      lines.revise({
        kind: 'revised',
        replaced,
        utterances: [said('1998', start, start + 1)],
        next,
      });
    }
    expect(looks).toBe(0);
  });
});
