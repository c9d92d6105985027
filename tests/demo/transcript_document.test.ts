// The document of the page: it grows, is edited and undone meanwhile, and is exported as it is.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { format, transcriptFormats } from '../../web/src/node.js';
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

  test('forgets what was undone when something else is written', () => {
    edit([0, 'One.']);
    document.undo();
    edit([1, 'Two.']);
    document.redo();
    expect(texts()).toEqual([' Hello world.', ' Two.']);
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
    expect(document.paragraphText).toBe('Hello world.\n\nSecond sentence. No pause before.');
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
