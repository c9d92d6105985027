// Who says what on the page: speakers come when all is heard, are named, merged and put right, and each of that is undone.
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { format } from '../../web/src/node.js';
import { another, colourCount } from '../../web/demo/transcript/people.js';
import { paragraphsOf } from '../../web/demo/transcript/paragraphs.js';
import {
  newId,
  TranscriptDocument,
  type DocumentChange,
  type HeardSegment,
} from '../../web/demo/transcript/transcript_document.js';

/** A second for each word. */
function segment(start: number, text: string, ...speakers: string[]): HeardSegment {
  const words = text.split(' ').map((word, at) => ({
    ...{ word: ` ${word}`, start: start + at, end: start + at + 1, probability: 0.9 },
    ...(speakers.length > 0 && { speaker: speakers[at] ?? speakers[0] }),
  }));
  const [speaker] = speakers;
  return {
    ...{ start, end: start + words.length, text: ` ${text}`, language: 'en', words },
    ...(speaker !== undefined && { speaker }),
  };
}

const begun = () => {
  const document = TranscriptDocument.begin({ id: newId(), name: 'talk.wav', created: 1 });
  document.add(segment(0, 'Hello there. Hi'));
  document.add(segment(3, 'Ada. Good day'));
  document.add(segment(6, 'to you.'));
  return document;
};
const result = {
  duration: 8,
  rejected: [],
  speakers: [{ id: 'S1' }, { id: 'S2' }, { id: 'S3' }, { id: 'S4' }],
  segments: [
    ...[segment(0, 'Hello there.', 'S1'), segment(2, 'Hi', 'S2'), segment(3, 'Ada.', 'S2')],
    ...[segment(4, 'Good day', 'S3'), segment(6, 'to you.', 'S3')],
  ],
};
const told = () => {
  const document = begun();
  document.finish(result, '8 s');
  return document;
};

let document: TranscriptDocument;
beforeEach(() => {
  document = told();
});
const names = () => document.people.map(({ name, colour }) => `${name} ${colour}`);
const said = () => document.paragraphText.split('\n\n');

describe('speakers', () => {
  test('divide segments where another one speaks, and begin paragraphs', () => {
    expect(document.segments).toEqual(result.segments);
    expect(said()).toEqual(['S1: Hello there.', 'S2: Hi Ada.', 'S3: Good day to you.']);
    // S4 says no word.
    expect(names()).toEqual(['S1 0', 'S2 1', 'S3 2']);
    expect(document.canUndo).toBe(false);
  });

  test('are nobody where that was not asked', () => {
    document = begun();
    document.finish({ duration: 8, rejected: [], segments: result.segments }, '8 s');
    expect(document.people).toEqual([]);
    expect(document.segments).toHaveLength(3);
  });

  test('are found in segments without words, which lose theirs where none were asked for', () => {
    document = begun();
    const segments = structuredClone(result.segments);
    for (const each of segments) Reflect.deleteProperty(each, 'words');
    document.finish({ ...result, segments }, '8 s');
    expect(document.segments).toEqual(segments);
  });

  test('leave what was edited meanwhile, and what can be undone', () => {
    document = begun();
    const kinds: string[] = [];
    document.listen(({ kind }) => kinds.push(kind));
    document.edit(new Map([[1, 'Ada! Good evening']]));
    document.finish(result, '8 s');
    expect(kinds).toEqual(['edited', 'settling', 'told', 'state']);
    expect(said()).toEqual(['S1: Hello there.', 'S2: Hi Ada!', 'S3: Good evening to you.']);
    document.undo();
    expect([said(), names()]).toEqual([['Hello there. Hi Ada! Good evening to you.'], []]);
    document.undo();
    expect(said()).toEqual(['Hello there. Hi Ada. Good day to you.']);
    document.redo();
    document.redo();
    expect(said()[2]).toBe('S3: Good evening to you.');
    expect(names()).toEqual(['S1 0', 'S2 1', 'S3 2']);
  });

  test('let a change that is under way end before segments change', () => {
    document = begun();
    document.listen(({ kind }: DocumentChange) => {
      if (kind === 'settling') document.edit(new Map([[2, 'to all.']]));
    });
    document.finish(result, '8 s');
    expect(said()[2]).toBe('S3: Good day to all.');
  });

  test('part paragraphs although somebody joined them', () => {
    const parted = [segment(0, 'Yes.', 'S1'), { ...segment(1, 'No.', 'S2'), begins: false }];
    expect(paragraphsOf(parted)).toEqual([[0], [1]]);
  });

  test('are kept and come back', () => {
    document.rename('S1', 'Ada');
    const back = TranscriptDocument.of(structuredClone(document.content));
    expect(back.people).toEqual(document.people);
    expect(back.paragraphText).toBe(document.paragraphText);
    const other = told();
    other.renew(document.content);
    expect(other.people).toEqual(document.people);
    other.renew(begun().content);
    expect(other.people).toEqual([]);
  });
});

describe('a name', () => {
  test('is given everywhere, in words and exports too, and undone', () => {
    const before = document.segments;
    document.rename('S3', '  Grace   Hopper ');
    expect(names()).toEqual(['S1 0', 'S2 1', 'Grace Hopper 2']);
    expect(said()[2]).toBe('Grace Hopper: Good day to you.');
    const { segments } = JSON.parse(format(document.transcript, 'json')) as {
      segments: { speaker: string; words: { speaker: string }[] }[];
    };
    expect(segments.map(({ speaker }) => speaker)).toEqual([
      ...['S1', 'S2', 'S2', 'Grace Hopper', 'Grace Hopper'],
    ]);
    expect(segments[4]!.words.map(({ speaker }) => speaker)).toEqual(
      Array<string>(2).fill('Grace Hopper'),
    );
    document.undo();
    expect([names()[2], document.segments]).toEqual(['S3 2', before]);
    document.redo();
    expect(names()[2]).toBe('Grace Hopper 2');
  });

  test('that is empty, or as before, or of nobody, is no change', () => {
    document.rename('S3', ' ');
    document.rename('S3', ' S3');
    document.rename('Nobody', 'Ada');
    expect([names(), document.canUndo]).toEqual([['S1 0', 'S2 1', 'S3 2'], false]);
  });

  test('of another one makes one person of the two, whose colour stays', () => {
    document.rename('S1', 'S3');
    expect(names()).toEqual(['S2 1', 'S3 2']);
    expect(said()).toEqual(['S3: Hello there.', 'S2: Hi Ada.', 'S3: Good day to you.']);
    document.undo();
    expect(names()).toEqual(['S1 0', 'S2 1', 'S3 2']);
  });

  test('stays with words that are edited, parted and joined', () => {
    document.edit(new Map([[0, 'Well hello there.']]));
    expect(document.segments[0]!.words).toMatchObject(Array(3).fill({ speaker: 'S1' }));
    document.join(new Map([3, 4].map((at) => [at, document.segments[at]!.text])), 3);
    expect(said()).toEqual(['S1: Well hello there.', 'S2: Hi Ada. Good day to you.']);
  });
});

describe('a paragraph', () => {
  test('is given to another one, and undone; who says nothing any more is gone', () => {
    document.attribute([1, 2], 'S1');
    expect(said()).toEqual(['S1: Hello there. Hi Ada.', 'S3: Good day to you.']);
    expect(document.segments[1]!.words).toMatchObject([{ speaker: 'S1' }]);
    expect(names()).toEqual(['S1 0', 'S3 2']);
    document.undo();
    expect(names()).toEqual(['S1 0', 'S2 1', 'S3 2']);
    document.attribute([0], 'S1');
    expect(document.canUndo).toBe(false);
  });

  test('is given to somebody new, with a name and a colour of their own', () => {
    document.attribute([4]);
    expect(names()).toEqual(['S1 0', 'S2 1', 'S3 2', 'S4 3']);
    expect(said()[3]).toBe('S4: to you.');
    const people = [
      { name: 'S2', colour: 1 },
      { name: 'S3', colour: 2 },
    ];
    expect(another(people)).toEqual({ name: 'S4', colour: 3 });
    expect(another([])).toEqual({ name: 'S1', colour: 0 });
  });
});

describe('the colours', () => {
  const tokens = readFileSync(new URL('../../web/demo/style/tokens.css', import.meta.url), 'utf8');
  const luminance = (colour: string): number => {
    const parts = [1, 3, 5].map((at) => {
      const part = parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * parts[0]! + 0.7152 * parts[1]! + 0.0722 * parts[2]!;
  };

  test.each(['light', 'dark'])('are told from what is behind them by 4.5 to 1, %s', (scheme) => {
    const [light = '', dark = ''] = tokens.split('@media (prefers-color-scheme: dark)');
    const values = new Map(
      [...(scheme === 'light' ? light : dark).matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(
        ([, name, value]) => [name, value!],
      ),
    );
    // Under the pointer a name has a wash behind it.
    const grounds = ['card', 'accent-wash'].map((name) => luminance(values.get(name)!));
    const contrasts = Array.from({ length: colourCount }, (_, at) => {
      const own = luminance(values.get(`speaker-${at}`)!);
      return Math.min(
        ...grounds.map((ground) => (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05)),
      );
    });
    expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5);
  });
});
