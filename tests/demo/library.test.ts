// Transcripts are kept as they grow and are edited, whatever the storage does, and whatever other tabs do.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { saveDelay, saveDelayOfSegment } from '../../web/demo/history/autosave.js';
import {
  nextRevision,
  type Deleted,
  type Kept,
  type KeptEntry,
} from '../../web/demo/history/kept_transcripts.js';
import { LastWords } from '../../web/demo/history/last_words.js';
import { Library } from '../../web/demo/history/library.js';
import { SearchTexts } from '../../web/demo/history/search_texts.js';
import { RecentlyDeleted, undoTime } from '../../web/demo/history/recently_deleted.js';
import {
  newId,
  TranscriptDocument,
  type Unfinished,
} from '../../web/demo/transcript/transcript_document.js';

/** Storage as the browser's, shared by tabs. */
class Storage {
  readonly kept = new Map<string, { readonly kept: Kept; readonly revision: number }>();
  readonly unfinished = new Map<string, Unfinished>();
  writes = 0;
  refusal: Error | undefined;
  /** Writes wait for it. */
  gate: Promise<void> = Promise.resolve();

  async write(kept: Kept, known: number, mayReturn: boolean): Promise<number | 'changed' | 'gone'> {
    await this.gate;
    this.writes += 1;
    if (this.refusal) throw this.refusal;
    const there = this.kept.get(kept.id);
    const entry = there && { ...there.kept, revision: there.revision };
    const revision = nextRevision(entry, kept, known, mayReturn);
    if (typeof revision !== 'number' || revision === there?.revision) return revision;
    this.kept.set(kept.id, { kept: structuredClone(kept), revision });
    return revision;
  }

  list(): Promise<readonly KeptEntry[]> {
    return Promise.resolve(
      [...this.kept.values()].map(({ kept, revision }) => ({ ...kept, revision })),
    );
  }

  read(id: string) {
    const found = this.kept.get(id);
    return Promise.resolve(found && { content: found.kept.content, revision: found.revision });
  }

  writeUnfinished(id: string, unfinished: Unfinished | undefined): Promise<void> {
    if (this.refusal) return Promise.reject(this.refusal);
    if (unfinished && this.kept.has(id)) this.unfinished.set(id, unfinished);
    else this.unfinished.delete(id);
    return Promise.resolve();
  }

  readUnfinished(id: string): Promise<Unfinished | undefined> {
    return Promise.resolve(this.unfinished.get(id));
  }

  delete(id: string): Promise<Deleted | undefined> {
    const found = this.kept.get(id);
    const unfinished = this.unfinished.get(id);
    this.kept.delete(id);
    this.unfinished.delete(id);
    const rest = unfinished && { unfinished };
    return Promise.resolve(found && { ...found.kept, ...rest, revision: found.revision });
  }

  restore({ revision, unfinished, ...kept }: Deleted): Promise<boolean> {
    const there = this.kept.get(kept.id);
    if (there) return Promise.resolve(there.revision > revision);
    this.kept.set(kept.id, { kept, revision });
    if (unfinished) this.unfinished.set(kept.id, unfinished);
    return Promise.resolve(true);
  }

  deleteAll(): Promise<void> {
    this.kept.clear();
    return Promise.resolve();
  }
}

let storage: Storage;
let problems: unknown[];
let changes: number;
const calls = {
  onChange: () => (changes += 1),
  onProblem: (error: unknown) => problems.push(error),
  nameOfCopy: (name: string) => `Copy of ${name}`,
};
const tab = () => new Library(storage, calls);
const begin = () => TranscriptDocument.begin({ id: newId(), name: 'talk.mp3', created: 1 });
const say = (document: TranscriptDocument, text: string) =>
  document.add({ start: 0, end: 1, text: ` ${text}` });
const edit = (document: TranscriptDocument | undefined, text: string) =>
  document?.edit(new Map([[0, text]]));
const keepOne = async (library: Library, text: string) => {
  const document = begin();
  library.keep(document);
  say(document, text);
  await library.flush();
  return document;
};
const rested = () => jest.advanceTimersByTimeAsync(saveDelay);
const idle = () => jest.advanceTimersByTimeAsync(0);
const rest: Unfinished = {
  saved: { version: 1 } as Unfinished['saved'],
  model: 'a model',
  file: { name: 'talk.mp3', size: 5, lastModified: 7 },
};
const textsKept = () =>
  [...storage.kept.values()].map(({ kept: { name, content } }) =>
    [name, ...content.segments.map(({ text }) => text.trim())].join(': '),
  );

beforeEach(() => {
  jest.useFakeTimers();
  storage = new Storage();
  problems = [];
  changes = 0;
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a document that is kept', () => {
  test('is written soon after a change, and once for many', async () => {
    const document = begin();
    tab().keep(document);
    for (const text of ['one', 'two']) say(document, text);
    expect(storage.writes).toBe(0);
    await rested();
    expect(storage.writes).toBe(1);
    expect(textsKept()).toEqual(['talk.mp3: one: two']);
    expect([...storage.kept.values()][0]?.kept.beginning).toBe('one two');
    edit(document, 'edited');
    await rested();
    expect(textsKept()).toEqual(['talk.mp3: edited: two']);
    expect(changes).toBe(2);
  });

  test('is kept with what it takes to go on, until it is finished', async () => {
    const document = begin();
    const library = tab();
    library.keep(document);
    // A second time, as one that goes on, it is one document still.
    library.keep(document);
    say(document, 'one');
    document.unfinished = rest;
    await idle();
    expect(textsKept()).toEqual(['talk.mp3: one']);
    const { id } = document.facts;
    expect(await tab().open(id)).toMatchObject({ unfinished: rest, isGrowing: false });
    // Deleted, it is gone, and it comes back with the rest.
    const deleted = await library.delete(id);
    expect(storage.unfinished.size).toBe(0);
    await library.restore(deleted!);
    expect(storage.unfinished.get(id)).toBe(rest);
    edit(document, 'edited');
    document.interrupt('stopped');
    document.resume();
    document.add({ start: document.heardUntil, end: 2, text: ' two' });
    document.finish({ duration: 2, rejected: [] }, '2 s');
    await library.flush();
    await idle();
    expect(storage.unfinished.size).toBe(0);
    expect(textsKept()).toEqual(['talk.mp3: edited: two']);
    expect(problems).toEqual([]);
  });

  test('keeps its text where there is no room for what it takes to go on', async () => {
    const document = begin();
    tab().keep(document);
    say(document, 'one');
    storage.writeUnfinished = () => Promise.reject(new Error('full'));
    document.unfinished = rest;
    await idle();
    expect(textsKept()).toEqual(['talk.mp3: one']);
    expect(problems).toEqual([]);
  });

  test('is written although it never rests', async () => {
    const document = begin();
    tab().keep(document);
    for (let i = 0; i < 40; ++i) {
      say(document, `word${i}`);
      await jest.advanceTimersByTimeAsync(saveDelay / 4);
    }
    expect(storage.writes).toBeGreaterThanOrEqual(7);
    expect(storage.writes).toBeLessThanOrEqual(11);
  });

  test('is written less often as it becomes long, and what a person changes as soon as ever', async () => {
    const document = begin();
    const library = tab();
    library.keep(document);
    const count = (4 * saveDelay) / saveDelayOfSegment;
    for (let i = 0; i < count; ++i) say(document, 'word');
    await library.flush();
    expect(storage.writes).toBe(1);
    // It goes on growing.
    for (let past = 0; past < 8 * saveDelay; past += saveDelay / 2) {
      say(document, 'more');
      await jest.advanceTimersByTimeAsync(saveDelay / 2);
    }
    expect(storage.writes).toBeGreaterThanOrEqual(2);
    expect(storage.writes).toBeLessThanOrEqual(3);
    await library.flush();
    const { writes } = storage;
    say(document, 'heard');
    edit(document, 'by hand');
    await rested();
    expect(storage.writes).toBe(writes + 1);
    expect(textsKept()[0]).toMatch(/^talk\.mp3: by hand:.*: heard$/);
  });

  test('is written at once when the page goes', async () => {
    const document = begin();
    const library = tab();
    library.keep(document);
    say(document, 'last words');
    await library.flush();
    expect(textsKept()).toEqual(['talk.mp3: last words']);
    await library.flush();
    expect(storage.writes).toBe(1);
  });

  test('is not worth keeping while it is empty, but is when it was emptied', async () => {
    const document = begin();
    tab().keep(document);
    document.interrupt('stopped');
    await rested();
    expect(storage.kept.size).toBe(0);
    say(document, 'one');
    await rested();
    edit(document, '');
    await rested();
    expect(textsKept()).toEqual(['talk.mp3: ']);
  });

  test('loses no change that is made during a write', async () => {
    const document = begin();
    tab().keep(document);
    let release = (): void => undefined;
    storage.gate = new Promise((done) => (release = done));
    say(document, 'one');
    await rested();
    say(document, 'two');
    await rested();
    release();
    await rested();
    expect(textsKept()).toEqual(['talk.mp3: one: two']);
    expect(problems).toEqual([]);
  });

  test('is tried again with the next change when there was no room', async () => {
    const document = begin();
    tab().keep(document);
    storage.refusal = new Error('no room');
    say(document, 'one');
    await rested();
    expect(problems).toEqual([storage.refusal]);
    expect(storage.kept.size).toBe(0);
    storage.refusal = undefined;
    say(document, 'two');
    await rested();
    expect(textsKept()).toEqual(['talk.mp3: one: two']);
  });
});

describe('the library', () => {
  test('opens what is open here as it is, and the rest as it was kept', async () => {
    const library = tab();
    const document = await keepOne(library, 'one');
    expect(await library.open(document.facts.id)).toBe(document);
    const other = await tab().open(document.facts.id);
    expect(other).not.toBe(document);
    expect(other?.content.segments).toEqual(document.content.segments);
    expect(await library.open('nothing')).toBeUndefined();
  });

  test('opens one document when asked twice at once, also after a failure', async () => {
    const { id } = (await keepOne(tab(), 'one')).facts;
    const library = tab();
    const refusal = new Error('no');
    const read = jest.spyOn(storage, 'read').mockRejectedValueOnce(refusal);
    const failed = [library.open(id), library.open(id)];
    expect(await Promise.allSettled(failed)).toMatchObject([
      { reason: refusal },
      { reason: refusal },
    ]);
    const [first, second] = await Promise.all([library.open(id), library.open(id)]);
    expect(first).toBeDefined();
    expect(second).toBe(first);
    expect(await library.open(id)).toBe(first);
    expect(read).toHaveBeenCalledTimes(3);
    edit(first, 'edited');
    await library.flush();
    expect(textsKept()).toEqual(['talk.mp3: edited']);
  });

  test('opens what another tab has changed since as it is now, unless this tab has changed it, too', async () => {
    const [here, there] = [tab(), tab()];
    const document = await keepOne(here, 'one');
    document.interrupt('stopped');
    await here.flush();
    const { id } = document.facts;
    const other = await there.open(id);
    edit(other, 'theirs');
    await there.flush();
    const kinds: string[] = [];
    document.listen(({ kind }) => kinds.push(kind));
    const opened = await Promise.all([here.open(id), here.open(id)]);
    expect(opened.map((one) => one?.content)).toEqual([other?.content, other?.content]);
    expect(kinds).toEqual(['renewed']);
    // The first tab's document continues from the other tab's last edit.
    edit(opened[0], 'mine');
    await here.flush();
    expect(textsKept()).toEqual(['talk.mp3: mine']);
    expect((await there.open(id))?.content).toEqual(document.content);

    edit(other, 'theirs again');
    await there.flush();
    edit(document, 'mine at once');
    expect((await here.open(id))?.paragraphText).toBe('mine at once');
    await here.flush();
    expect(textsKept()).toEqual(['talk.mp3: theirs again', 'Copy of talk.mp3: mine at once']);

    // What is open is opened whatever storage does.
    jest.spyOn(storage, 'read').mockRejectedValueOnce(new Error('no'));
    expect(await there.open(id)).toBe(other);
    expect(problems).toEqual([]);
  });

  test('opens what is being heard or changed as it is', async () => {
    const [here, there] = [tab(), tab()];
    const growing = await keepOne(here, 'one');
    const { id } = growing.facts;
    edit(await there.open(id), 'theirs');
    await there.flush();
    expect((await here.open(id))?.paragraphText).toBe('one');
    growing.interrupt('stopped');
    await here.flush();
    expect(textsKept()).toEqual(['talk.mp3: theirs', 'Copy of talk.mp3: one']);
    // It is changed while it is read.
    const other = await there.open(id);
    const third = tab();
    edit(await third.open(id), 'of a third');
    await third.flush();
    const opening = there.open(id);
    edit(other, 'meanwhile');
    expect((await opening)?.paragraphText).toBe('meanwhile');
  });

  test('keeps both when two tabs edit the same transcript', async () => {
    const [here, there] = [tab(), tab()];
    const document = await keepOne(here, 'one');
    edit(await there.open(document.facts.id), 'theirs');
    await there.flush();
    edit(document, 'mine');
    await here.flush();
    expect(textsKept()).toEqual(['talk.mp3: theirs', 'Copy of talk.mp3: mine']);
    // From then on each has its own.
    edit(document, 'mine again');
    await here.flush();
    expect(textsKept()).toEqual(['talk.mp3: theirs', 'Copy of talk.mp3: mine again']);
  });

  test('has the name that another tab gives it, also while it grows or is edited here', async () => {
    const [here, there] = [tab(), tab()];
    const document = await keepOne(here, 'one');
    const { id } = document.facts;
    await there.rename(id, 'Theirs');
    say(document, 'two');
    await here.flush();
    expect(textsKept()).toEqual(['Theirs: one: two']);
    expect(document.facts.name).toBe('Theirs');
    // The last name counts.
    await there.rename(id, 'Theirs again');
    document.call('Mine');
    await here.flush();
    expect(textsKept()).toEqual(['Mine: one: two']);
    const opened = await there.open(id);
    say(document, 'three');
    await here.flush();
    opened?.call('Named there');
    await there.flush();
    say(document, 'four');
    await here.flush();
    expect(textsKept()).toEqual(['Named there: one: two: three: four']);
    document.call('Mine');
    await here.flush();
    await there.rename(id, '  ');
    await there.rename('gone', 'Nobody');
    expect(textsKept()).toEqual(['Mine: one: two: three: four']);
    // Where the text is another one, too, both stay; a copy takes a new name whole.
    edit(await there.open(id), 'theirs');
    await there.rename(id, 'Third');
    edit(document, 'mine');
    await here.flush();
    expect(textsKept()).toEqual([
      'Third: theirs: two: three: four',
      'Copy of Mine: mine: two: three: four',
    ]);
    document.call('My own');
    await here.flush();
    document.undo();
    await here.flush();
    expect(textsKept()).toEqual([
      'Third: theirs: two: three: four',
      'Copy of Mine: mine: two: three: four',
    ]);
    document.redo();
    await here.flush();
    expect(textsKept()).toEqual([
      'Third: theirs: two: three: four',
      'My own: mine: two: three: four',
    ]);
    expect(problems).toEqual([]);
  });

  test('is told of a name that another tab has given, and keeps it where it cannot be read', async () => {
    const channel: {
      postMessage(message: unknown): void;
      onmessage: ((event: MessageEvent) => unknown) | null;
    } = {
      postMessage: () => undefined,
      onmessage: null,
    };
    const here = new Library(storage, calls, channel);
    const document = await keepOne(here, 'one');
    await tab().rename(document.facts.id, 'Theirs');
    const read = jest.spyOn(storage, 'read').mockRejectedValueOnce(new Error('no'));
    channel.onmessage?.(new MessageEvent('message'));
    await idle();
    expect(read).toHaveBeenCalled();
    expect(document.facts.name).toBe('talk.mp3');
    channel.onmessage?.(new MessageEvent('message'));
    await idle();
    expect(document.facts.name).toBe('Theirs');
    expect(document.canUndo).toBe(false);
    expect(textsKept()).toEqual(['Theirs: one']);
  });

  test('keeps what two tabs hear at once', async () => {
    await Promise.all([keepOne(tab(), 'one'), keepOne(tab(), 'two')]);
    expect(textsKept()).toEqual(['talk.mp3: one', 'talk.mp3: two']);
  });

  test('deletes one, also one that waits to be written', async () => {
    const library = tab();
    const document = await keepOne(library, 'one');
    await keepOne(library, 'two');
    say(document, 'more');
    await library.delete(document.facts.id);
    await rested();
    expect(textsKept()).toEqual(['talk.mp3: two']);
  });

  test.each(['here', 'in another tab'])(
    'does not keep what is heard of one that was deleted %s, but what a person writes into it',
    async (where) => {
      const library = tab();
      const document = await keepOne(library, 'one');
      await (where === 'here' ? library : tab()).delete(document.facts.id);
      say(document, 'heard');
      await rested();
      document.interrupt('stopped');
      await library.flush();
      expect(textsKept()).toEqual([]);
      // A person who goes on editing it wants it kept.
      edit(document, 'edited');
      await rested();
      expect(textsKept()).toEqual(['talk.mp3: edited: heard']);
      say(document, 'and more');
      await rested();
      expect(textsKept()).toEqual(['talk.mp3: edited: heard: and more']);
      expect(problems).toEqual([]);
    },
  );

  test('keeps what a person wrote into one that was deleted also when it needs a second try', async () => {
    const library = tab();
    const document = await keepOne(library, 'one');
    await library.delete(document.facts.id);
    storage.refusal = new Error('no room');
    edit(document, 'edited');
    await rested();
    expect(problems).toEqual([storage.refusal]);
    storage.refusal = undefined;
    say(document, 'heard');
    await rested();
    expect(textsKept()).toEqual(['talk.mp3: edited: heard']);
  });

  test('brings back what was deleted as it was', async () => {
    const [here, there] = [tab(), tab()];
    const document = await keepOne(here, 'one');
    const other = await there.open(document.facts.id);
    const [before] = [...storage.kept.values()];
    const deleted = await here.delete(document.facts.id);
    expect(storage.kept.size).toBe(0);
    await here.restore(deleted!);
    expect([...storage.kept.values()]).toEqual([before]);
    // In each tab it goes on as if nothing had been.
    edit(other, 'edited there');
    await there.flush();
    expect(textsKept()).toEqual(['talk.mp3: edited there']);
    expect(await here.delete('nothing')).toBeUndefined();
  });

  test('brings back what was heard of it meanwhile, in whichever tab', async () => {
    const [here, channel] = [tab(), { postMessage: () => undefined, onmessage: null }] as const;
    const there = new Library(storage, calls, channel);
    const document = await keepOne(there, 'one');
    const deleted = await here.delete(document.facts.id);
    say(document, 'two');
    await rested();
    await here.restore(deleted!);
    (channel.onmessage as unknown as (event: object) => void)({ data: 'changed' });
    await rested();
    expect(textsKept()).toEqual(['talk.mp3: one: two']);
    const again = await there.delete(document.facts.id);
    say(document, 'three');
    await rested();
    await there.restore(again!);
    expect(textsKept()).toEqual(['talk.mp3: one: two: three']);
  });

  test('brings back nothing over what was made of it meanwhile', async () => {
    const [here, there] = [tab(), tab()];
    const document = await keepOne(here, 'one');
    const { id } = document.facts;
    const older = await there.open(id);
    const deleted = await here.delete(id);
    edit(document, 'edited');
    await rested();
    await here.restore(deleted!);
    expect(textsKept()).toEqual(['talk.mp3: edited']);
    // What was written into an older one is no later version of it.
    const edited = await here.delete(id);
    edit(older, 'other');
    await there.flush();
    await here.restore(edited!);
    expect(textsKept()).toEqual(['talk.mp3: other', 'Copy of talk.mp3: edited']);
  });

  test('keeps in mind what was deleted for a while, and longer while a person is at its row', async () => {
    const library = tab();
    const [one, two] = [await keepOne(library, 'one'), await keepOne(library, 'two')];
    let isHeld = true;
    const over: string[] = [];
    const recent = new RecentlyDeleted({
      isHeld: () => isHeld,
      onOver: (ids) => over.push(...ids),
    });
    // Other tabs see by its locks what can come back.
    const locks = new Set<string>();
    const request = async (name: string, work: () => Promise<void>): Promise<void> => {
      locks.add(name);
      await work();
      locks.delete(name);
    };
    Object.assign(globalThis, { navigator: { locks: { request } } });
    for (const { facts } of [one, two]) recent.add((await library.delete(facts.id))!);
    expect(recent.take(two.facts.id)?.content.segments).toEqual(two.segments);
    recent.settle();
    expect(recent.all).toHaveLength(1);
    await idle();
    expect([...locks]).toEqual([expect.stringContaining(one.facts.id)]);
    jest.advanceTimersByTime(undoTime);
    expect(recent.all.map(({ id }) => id)).toEqual([one.facts.id]);
    isHeld = false;
    recent.settle();
    expect(recent.all).toEqual([]);
    expect(recent.take(one.facts.id)).toBeUndefined();
    await idle();
    expect(locks.size).toBe(0);
    const three = await keepOne(library, 'three');
    recent.add((await library.delete(three.facts.id))!);
    jest.advanceTimersByTime(undoTime - 1);
    expect([recent.all.length, over]).toEqual([1, [one.facts.id]]);
    jest.advanceTimersByTime(1);
    expect([recent.all.length, over]).toEqual([0, [one.facts.id, three.facts.id]]);
    Reflect.deleteProperty(globalThis, 'navigator');
  });

  test('keeps a transcript without its recording where the browser has no place for files, and says so once', async () => {
    const said: (string | undefined)[] = [];
    let isOn = false;
    const onKept = (notKept?: string) => said.push(notKept);
    const library = new Library(storage, calls, undefined, { isOn: () => isOn, onKept });
    const document = await keepOne(library, 'one');
    document.recording = new File([], 'talk.mp3');
    await rested();
    await library.keepRecording(document);
    expect(said).toEqual([]);
    isOn = true;
    await library.keepRecording(document);
    expect(said).toEqual(['talk.mp3']);
    for (const text of ['two', 'three']) {
      say(document, text);
      await rested();
    }
    expect(said).toEqual(['talk.mp3']);
    expect(textsKept()).toEqual(['talk.mp3: one: two: three']);
    // One that is not kept itself says nothing.
    const empty = begin();
    library.keep(empty);
    empty.recording = new File([], 'other.mp3');
    await rested();
    expect(said).toHaveLength(1);
  });

  test('deletes all', async () => {
    const library = tab();
    await keepOne(library, 'one');
    const document = await keepOne(library, 'two');
    await library.deleteAll();
    expect(storage.kept.size).toBe(0);
    say(document, 'three');
    await library.flush();
    expect(textsKept()).toEqual([]);
    edit(document, 'edited');
    await library.flush();
    expect(textsKept()).toEqual(['talk.mp3: edited: three']);
  });

  test('hears of other tabs, and tells them', async () => {
    const sent: unknown[] = [];
    const channel = {
      postMessage: (message: unknown) => sent.push(message),
      onmessage: null as ((event: MessageEvent) => unknown) | null,
    };
    const library = new Library(storage, calls, channel);
    channel.onmessage?.({ data: 'changed' } as MessageEvent);
    expect(changes).toBe(1);
    await keepOne(library, 'one');
    expect(sent).toEqual(['changed']);
    expect(changes).toBe(2);
  });
});

describe('what a page that goes could not write', () => {
  let texts: Map<string, string>;
  const lastWords = () =>
    new LastWords({
      names: (prefix) => [...texts.keys()].filter((name) => name.startsWith(prefix)),
      get: (name) => texts.get(name) ?? null,
      set: (name, text) => texts.set(name, text),
      remove: (name) => texts.delete(name),
    });
  beforeEach(() => {
    texts = new Map();
  });

  test('is written by the next one, once', async () => {
    const gone = tab();
    const document = await keepOne(gone, 'one');
    edit(document, 'the last words');
    // Numbers of a model may lie in arrays of any kind.
    document.add({ start: 1, end: 2, text: ' heard', ...{ tokens: Uint32Array.of(5, 6) } });
    lastWords().keep(gone.unwritten);
    const next = tab();
    await next.settle(lastWords().take());
    expect(textsKept()).toEqual(['talk.mp3: the last words: heard']);
    expect((await next.open(document.facts.id))?.segments[1]).toMatchObject({ tokens: [5, 6] });
    expect(lastWords().take()).toEqual([]);
  });

  test('is nothing where all is written, or nothing was heard', async () => {
    const library = tab();
    await keepOne(library, 'one');
    library.keep(begin());
    expect(library.unwritten).toEqual([]);
    lastWords().keep(library.unwritten);
    expect(texts.size).toBe(0);
  });

  test('was written after all, or was changed or deleted by somebody else since', async () => {
    const gone = tab();
    const document = await keepOne(gone, 'one');
    edit(document, 'the last words');
    const words = gone.unwritten;
    await gone.flush();
    await tab().settle(words);
    expect(textsKept()).toEqual(['talk.mp3: the last words']);
    const other = tab();
    edit(await other.open(document.facts.id), 'other words');
    await other.flush();
    await tab().settle(words);
    expect(textsKept()).toEqual(['talk.mp3: other words', 'Copy of talk.mp3: the last words']);
    await tab().deleteAll();
    await tab().settle([{ ...words[0]!, mayReturn: false }]);
    expect(textsKept()).toEqual([]);
  });

  test('follows a write under way whose end the page did not learn: no copy is made', async () => {
    const gone = tab();
    const document = begin();
    gone.keep(document);
    say(document, 'one');
    // The write is done, and the page is closed before it is told so.
    const write = storage.write.bind(storage);
    storage.write = async (...args) => {
      await write(...args);
      return new Promise(() => undefined);
    };
    void gone.flush();
    await idle();
    storage.write = write;
    say(document, 'two');
    const words = gone.unwritten;
    expect(words).toMatchObject([{ known: 0 }]);
    await tab().settle(words);
    expect(textsKept()).toEqual(['talk.mp3: one: two']);
  });

  test('is written by the next page while its own goes on: once, and nothing later is lost', async () => {
    const gone = tab();
    const document = await keepOne(gone, 'one');
    edit(document, 'the last words');
    const words = gone.unwritten;
    await tab().settle(words);
    expect(storage.writes).toBe(2);
    // It comes back from the browser's cache of pages.
    await gone.flush();
    expect(textsKept()).toEqual(['talk.mp3: the last words']);
    jest.setSystemTime(Date.now() + 1);
    edit(document, 'even later words');
    await gone.flush();
    await tab().settle(words);
    expect(textsKept()).toEqual(['talk.mp3: even later words']);
  });

  test('is that of a write under way, too, and of a person’s hand', async () => {
    const gone = tab();
    const document = await keepOne(gone, 'one');
    await tab().delete(document.facts.id);
    let release = (): void => undefined;
    storage.gate = new Promise((done) => (release = done));
    edit(document, 'by hand');
    void gone.flush();
    const words = gone.unwritten;
    expect(words).toMatchObject([{ mayReturn: true }]);
    storage.refusal = new Error('the page is gone');
    release();
    await rested();
    storage.refusal = undefined;
    await tab().settle(words);
    expect(textsKept()).toEqual(['talk.mp3: by hand']);
  });

  test('stays for a later page where it cannot be written now', async () => {
    const gone = tab();
    edit(await keepOne(gone, 'one'), 'the last words');
    lastWords().keep(gone.unwritten);
    const [next, nextWords] = [tab(), lastWords()];
    const taken = nextWords.take();
    storage.refusal = new Error('no room');
    await expect(next.settle(taken)).rejects.toBe(storage.refusal);
    nextWords.giveBack(taken);
    storage.refusal = undefined;
    // It goes and comes back itself meanwhile.
    nextWords.keep([]);
    nextWords.drop();
    await tab().settle(lastWords().take());
    expect(textsKept()).toEqual(['talk.mp3: the last words']);
  });

  test('may be refused, or be something else: nothing comes of it', () => {
    texts.set('susurrus-unwritten-x', 'no JSON');
    expect(lastWords().take()).toEqual([]);
    const refuse = () => {
      throw new Error('refused');
    };
    const refused = new LastWords({ names: refuse, get: refuse, set: refuse, remove: refuse });
    const one = { kept: {} as Kept, known: 0, mayReturn: true };
    refused.keep([one]);
    refused.drop();
    expect(refused.take()).toEqual([]);
  });
});

describe('a search through all transcripts', () => {
  test('finds names and texts, shows a line of each, and reads again what has changed', async () => {
    const long = `${'word '.repeat(40)}of philosophy ${'more '.repeat(40)}`;
    const library = tab();
    const document = await keepOne(library, long);
    await keepOne(tab(), 'nothing of the kind');
    const read = jest.spyOn(storage, 'read');
    const texts = new SearchTexts(storage);
    const find = async (sought: string) => [
      ...(await texts.find(await library.list(), sought)).values(),
    ];
    const [line, ...others] = await find(' PHILOSOPHY  more ');
    expect(others).toEqual([]);
    expect(line?.before).toMatch(/^… (word )+of $/);
    expect(line?.found).toBe('philosophy more');
    expect(line?.after.length).toBe(110);
    expect(await find('talk.MP3')).toHaveLength(2);
    expect(await find('nowhere')).toEqual([]);
    expect(await find('  ')).toEqual([]);
    expect(read).toHaveBeenCalledTimes(2);
    edit(document, 'Nowhere now');
    await library.flush();
    expect(await find('nowhere')).toEqual([{ before: '', found: 'Nowhere', after: ' now' }]);
    expect(read).toHaveBeenCalledTimes(3);
  });
});
