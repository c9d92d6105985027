// The document of the page: it grows, is edited and undone meanwhile, and is exported as it is.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { format, transcriptFormats } from '../../web/src/node.js';
import { ParagraphText } from '../../web/demo/transcript/paragraph_text.js';
import { latelyForeign, perhapsForeign } from '../../web/demo/transcript/perhaps_foreign.js';
import {
  newId,
  TranscriptDocument,
  type DocumentChange,
  type HeardSegment,
} from '../../web/demo/transcript/transcript_document.js';

const segment = (start: number, ...texts: string[]): HeardSegment => ({
  start,
  end: start + texts.length,
  text: texts.map((text) => ` ${text}`).join(''),
  language: 'en',
  words: texts.map((text, at) => ({
    word: ` ${text}`,
    start: start + at,
    end: start + at + 1,
    probability: 0.9,
  })),
});

let document: TranscriptDocument;
beforeEach(() => {
  document = TranscriptDocument.begin({ id: newId(), name: 'talk.mp3', created: 1 });
  document.add(segment(0, 'Hello', 'world.'));
  document.add(segment(10, 'Second', 'sentence.'));
});

const texts = () => document.segments.map(({ text }) => text);
const edit = (...changes: [number, string][]) => document.edit(new Map(changes));

describe('a document', () => {
  test('leaves out segments of silence', () => {
    document.add({ start: 20, end: 30, text: ' ' });
    expect(texts()).toEqual([' Hello world.', ' Second sentence.']);
  });

  test('takes edits, undoes and repeats them, one step for many segments', () => {
    expect(edit([0, 'Hello there.'], [1, 'Second one.'])).toBe(2);
    expect(texts()).toEqual([' Hello there.', ' Second one.']);
    expect([document.canUndo, document.canRedo]).toEqual([true, false]);
    document.undo();
    expect(texts()).toEqual([' Hello world.', ' Second sentence.']);
    expect([document.canUndo, document.canRedo]).toEqual([false, true]);
    document.redo();
    expect(texts()).toEqual([' Hello there.', ' Second one.']);
  });

  test('has no step for what is no change, and none to take back at the ends', () => {
    expect(edit([0, '  Hello   world. '], [7, 'nowhere'])).toBe(0);
    expect(document.canUndo).toBe(false);
    document.undo();
    document.redo();
    expect(texts()).toEqual([' Hello world.', ' Second sentence.']);
  });

  test('has another name, undone among the edits; blanks and another tab are no step', () => {
    const first = document.facts.name;
    edit([0, 'One.']);
    document.call(' Board \n meeting ');
    document.call('  ');
    document.call('Board meeting');
    expect(document.facts.name).toBe('Board meeting');
    expect(document.content.name).toBe('Board meeting');
    document.undo();
    expect([document.facts.name, document.segments[0]?.text.trim()]).toEqual([first, 'One.']);
    document.named('Theirs');
    document.undo();
    expect([document.facts.name, document.canUndo]).toEqual(['Theirs', false]);
    document.redo();
    document.redo();
    expect(document.facts.name).toBe('Board meeting');
    document.renew({ ...document.content, name: 'Renewed' });
    expect([document.facts.name, document.canUndo]).toEqual(['Renewed', false]);
  });

  test('forgets what was undone when something else is written', () => {
    edit([0, 'One.']);
    document.undo();
    edit([1, 'Two.']);
    document.redo();
    expect(texts()).toEqual([' Hello world.', ' Two.']);
  });

  const paragraphs = () => document.paragraphText.split('\n\n');
  /** Splits at `|` in the new text of the paragraph that begins with segment `first`. */
  const split = (text: string, ...group: number[]) => {
    const [head = '', tail = ''] = text.split('|');
    document.split(new ParagraphText(document.segments, group).split(head, tail));
  };

  test('divides a segment where a paragraph begins, and undoes that', () => {
    document.add(segment(12, 'Third', 'one', 'here.'));
    const before = document.content;
    split('Second sentence. Third | other here.', 1, 2);
    expect(paragraphs()).toEqual(['Hello world.', 'Second sentence. Third', 'other here.']);
    expect(document.segments.slice(2)).toMatchObject([
      { start: 12, end: 13, text: ' Third', words: [{ word: ' Third', start: 12, end: 13 }] },
      {
        ...{ start: 13, end: 15, text: ' other here.', begins: true },
        words: [
          { word: ' other', start: 13, end: 14 },
          { word: ' here.', start: 14, end: 15 },
        ],
      },
    ]);
    document.add(segment(15, 'Fourth.'));
    split('Hello |world.', 0);
    expect(paragraphs()[1]).toBe('world.');
    document.undo();
    document.undo();
    expect(document.segments.slice(0, 3)).toEqual(before.segments);
    expect(paragraphs()).toEqual(['Hello world.', 'Second sentence. Third one here. Fourth.']);
    document.redo();
    document.redo();
    expect(paragraphs()).toEqual([
      ...['Hello', 'world.', 'Second sentence. Third', 'other here. Fourth.'],
    ]);
    document.undo();
    expect(paragraphs()).toHaveLength(3);
  });

  test('begins a paragraph between segments, within a word, and without words', () => {
    document.add(segment(12, 'Third.'));
    split('Second sentence. | Third.', 1, 2);
    expect(document.segments).toHaveLength(3);
    expect(paragraphs()).toEqual(['Hello world.', 'Second sentence.', 'Third.']);
    split('Hello wor|ld.', 0);
    expect(texts().slice(0, 2)).toEqual([' Hello wor', ' ld.']);
    const [first, second] = document.segments;
    expect(first!.end).toBeGreaterThan(1);
    expect(second!.start).toBe(first!.end);
    expect(second!.end).toBe(2);
    document.add({ start: 20, end: 24, text: ' Plain text' });
    split('Plain | text', 4);
    expect(document.segments.slice(4)).toMatchObject([
      { start: 20, text: ' Plain' },
      { end: 24, text: ' text', begins: true },
    ]);
  });

  test('joins paragraphs over a pause, and leaves them joined when words change', () => {
    const texts = new ParagraphText(document.segments, [1]).rewritten('Second phrase.');
    document.join(texts, 1);
    expect(paragraphs()).toEqual(['Hello world. Second phrase.']);
    document.undo();
    expect(paragraphs()).toEqual(['Hello world.', 'Second sentence.']);
    // What was chosen for a segment that is emptied holds for the next one.
    document.add(segment(12, 'Third.'));
    document.join(new Map([[1, '']]), 1);
    expect(paragraphs()).toEqual(['Hello world. Third.']);
  });

  test('keeps segments that come while one edits and undoes', () => {
    edit([0, 'Edited.']);
    document.add(segment(20, 'Third.'));
    document.undo();
    expect(texts()).toEqual([' Hello world.', ' Second sentence.', ' Third.']);
  });

  test('edits segments that have no words', () => {
    document.add({ start: 20, end: 25, text: ' Plain text' });
    edit([2, 'Better text']);
    expect(document.segments[2]).toEqual({ start: 20, end: 25, text: ' Better text' });
  });

  test('gives up what the model said of a text that is no longer there', () => {
    const said = { tokens: [1, 2], tokenProbabilities: [1, 1], attempts: [], noSpeechProb: 0.1 };
    document.add(Object.assign({}, segment(20, 'Heard'), said));
    edit([2, 'Written']);
    expect(document.segments[2]).toMatchObject({ text: ' Written', noSpeechProb: 0.1 });
    for (const name of ['tokens', 'tokenProbabilities', 'attempts']) {
      expect(document.segments[2]).not.toHaveProperty(name);
    }
  });

  test('tells what has changed, until nobody listens', () => {
    const changes: DocumentChange[] = [];
    const stop = document.listen((change) => changes.push(change));
    document.add(segment(20, 'Third.'));
    edit([1, 'Two.']);
    document.undo();
    document.interrupt('stopped');
    stop();
    document.redo();
    expect(changes).toEqual([
      { kind: 'added', segments: [2] },
      { kind: 'edited', segments: [1] },
      { kind: 'edited', segments: [1] },
      { kind: 'state', segments: [] },
    ]);
  });

  test('is written in all formats as it is: edited, unfinished, stopped, finished', () => {
    const isEverywhere = () =>
      transcriptFormats.every((name) =>
        /Hello[\s\S]*?edited\./.test(format(document.transcript, name)),
      );
    edit([0, 'Hello edited.']);
    expect(isEverywhere()).toBe(true);
    document.interrupt('stopped before the end');
    expect(isEverywhere()).toBe(true);
    document.finish({ language: 'en', duration: 60, rejected: [] }, '60 s');
    expect(isEverywhere()).toBe(true);
    expect(JSON.parse(format(document.transcript, 'verbose_json'))).toMatchObject({
      language: 'english',
      duration: 60,
      words: [{ word: 'Hello', start: 0, end: 1 }, { word: 'edited.', start: 1, end: 2 }, {}, {}],
    });
  });

  test('leaves emptied segments out, and has them back after an undo', () => {
    edit([0, ' ']);
    expect(format(document.transcript, 'txt')).toBe('Second sentence.\n');
    edit([1, '']);
    expect(document.isEmpty).toBe(true);
    expect(format(document.transcript, 'srt')).toBe('');
    document.undo();
    document.undo();
    expect(texts()).toEqual([' Hello world.', ' Second sentence.']);
  });

  test('is copied as paragraphs', () => {
    document.add(segment(12, 'No', 'pause', 'before.'));
    const text = 'Hello world.\n\nSecond sentence. No pause before.';
    expect(document.paragraphText).toBe(text);
    for (let letters = 0; letters <= text.length + 1; ++letters) {
      expect(document.beginning(letters)).toBe(text.slice(0, letters));
    }
  });

  test('comes back from its content, edits included', () => {
    edit([0, 'Hello edited.']);
    const rejected = [{ ...segment(30, 'Thanks'), decision: 'dropped:silence' }];
    document.finish({ language: 'en', duration: 60, rejected }, '60 s · English');
    const again = TranscriptDocument.of(structuredClone(document.content));
    expect(again.content).toEqual(document.content);
    expect([again.isGrowing, again.canUndo]).toEqual([false, false]);
    expect(again.rejected).toEqual([
      { start: 30, end: 31, text: ' Thanks', decision: 'dropped:silence' },
    ]);
  });
});

describe('what a model that knows English alone has heard', () => {
  const heard = (seconds: number, avgLogprob?: number): HeardSegment => ({
    ...{ start: 3, end: 3 + seconds, text: ' something' },
    ...(avgLogprob !== undefined && { avgLogprob }),
  });
  const dropped = (seconds: number, decision: string) => ({ ...heard(seconds, -2), decision });

  test.each([
    ['ten seconds of which it is unsure', [heard(10, -0.91)], [], true],
    ['ten seconds of which it is sure enough', [heard(10, -0.9)], [], false],
    ['not ten seconds', [heard(9.9, -2)], [], false],
    ['much that is sure, little that is not', [heard(20, -0.3), heard(5, -2)], [], false],
    ['little that is sure, much that is not', [heard(5, -0.3), heard(20, -2)], [], true],
    ['text without measure', [heard(60)], [], false],
    ['nothing', [], [], false],
    ['nothing but ten seconds of dropped text', [], [dropped(10, 'dropped:repetition')], true],
    ['nothing but a little dropped text', [], [dropped(9.9, 'dropped:no-speech')], false],
    ['text that was dropped for silence', [], [dropped(60, 'dropped:silence')], false],
    [
      'text that is sure, beside dropped',
      [heard(5, -0.3)],
      [dropped(30, 'dropped:too-fast')],
      false,
    ],
  ])('%s', (_what, segments, rejected, isForeign) => {
    expect(perhapsForeign({ segments, rejected })).toBe(isForeign);
  });

  test('in live captions: their words say how sure it was, the last half minute counts', () => {
    const said = (start: number, probability: number) => ({
      ...{ start, end: start + 10, words: [{ probability }, { probability }] },
    });
    const [unsure, sure] = [0.33, 0.34];
    expect(latelyForeign([said(0, unsure)], 10)).toBe(true);
    expect(latelyForeign([said(0, sure)], 10)).toBe(false);
    expect(latelyForeign([{ ...said(0, unsure), end: 9 }], 10)).toBe(false);
    expect(latelyForeign([said(0, 0.9), said(10, 0.9), said(20, unsure)], 30)).toBe(false);
    expect(latelyForeign([said(0, 0.9), said(10, 0.9), said(40, unsure)], 50)).toBe(true);
    expect(latelyForeign([said(0, 0)], 10)).toBe(true);
    expect(latelyForeign([], 10)).toBe(false);
  });

  test('is kept with the name of the model', () => {
    const facts = { id: newId(), name: 'talk.mp3', created: 1, englishModel: 'tiny.en' };
    const again = TranscriptDocument.of(TranscriptDocument.begin(facts).content);
    expect(again.facts.englishModel).toBe('tiny.en');
    expect('englishModel' in document.facts).toBe(false);
  });
});
