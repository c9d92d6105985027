// A transcript that can be edited while it grows: its segments with their times, what was changed, and undo. Knows no page.
import type {
  SavedTranscription,
  Task,
  TranscriptLike,
  TranscriptSegment,
} from '../../src/index.js';
import { asLine, type Split } from './paragraph_text.js';
import { leadingSpace, paragraphsOf, spaceBefore } from './paragraphs.js';
import {
  another,
  partsOf,
  peopleOf,
  renamed,
  saidBy,
  speaking,
  type Person,
  type ToldApart,
} from './people.js';
import { retimedWords, type HeardWord } from './retimed_words.js';
import { plainText, type SpokenParagraph } from './text_files.js';

/** A segment as transcribed, with whatever else the model returned for it. */
export interface HeardSegment extends TranscriptSegment {
  readonly language?: string;
  /** How sure the model was: the mean log probability of a token. */
  readonly avgLogprob?: number;
  readonly words?: readonly HeardWord[];
  /** Who says it: the name of a person. */
  readonly speaker?: string;
  /** Whether a person wants a paragraph to begin here; without it pauses say so. */
  readonly begins?: boolean;
}

/** A piece of text that the model dropped, and why. */
export interface RejectedSegment extends TranscriptSegment {
  readonly decision: string;
}

/** What a document is made from. */
export interface DocumentFacts {
  readonly id: string;
  /** Name of the recording, or what a person calls it. */
  readonly name: string;
  /** When it was begun, in milliseconds since 1970. */
  readonly created: number;
  readonly task?: Task;
  /** The model that transcribed it knows only the ten digits. */
  readonly knowsDigitsAlone?: boolean;
  /** The name of the model that transcribed it, where that knows English alone. */
  readonly englishModel?: string;
}

/** What it takes to go on with a transcript that ended early. */
export interface Unfinished {
  readonly saved: SavedTranscription;
  /** The name of the model that made it. */
  readonly model: string;
  /** The recording, to know it again. */
  readonly file: Pick<File, 'name' | 'size' | 'lastModified'>;
}

/** For a new document; random also where a page is not served securely. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** All of a document but its undo steps: plain data, to be kept. */
export interface DocumentContent extends DocumentFacts {
  readonly segments: readonly HeardSegment[];
  readonly rejected: readonly RejectedSegment[];
  /** Who speaks, where that was asked. */
  readonly people?: readonly Person[];
  readonly language?: string;
  readonly duration?: number;
  /** A line below the title: length and language, or why it ended early. */
  readonly note: string;
}

/**
 * Which segments differ now, which may be more or fewer than before an edit; none when something else does, or when all was 'renewed'. The
 * speakers become known in two steps: 'settling' before the segments change, so that whoever works with them can end that, and 'told'.
 * 'rest': what it takes to go on with it is another. 'recording': its recording is another. 'named': another tab has given it another name.
 */
export interface DocumentChange {
  readonly kind:
    'added' | 'edited' | 'state' | 'renewed' | 'settling' | 'told' | 'rest' | 'recording' | 'named';
  readonly segments: readonly number[];
}

/** Segments in place of one. */
interface Edit {
  readonly at: number;
  readonly before: HeardSegment;
  readonly after: readonly HeardSegment[];
}

/** What is undone at once. */
interface Step {
  readonly edits: readonly Edit[];
  readonly people: { readonly before: readonly Person[]; readonly after: readonly Person[] };
  readonly name: { readonly before: string; readonly after: string };
}

export class TranscriptDocument {
  /** The note that it has wherever it is kept, as long as it grows: the page may go at any time. */
  noteSoFar = '';
  #facts: DocumentFacts;
  #segments: HeardSegment[];
  #rejected: readonly RejectedSegment[];
  #people: readonly Person[];
  #language: string | undefined;
  #duration: number | undefined;
  #note: string;
  #isGrowing: boolean;
  #unfinished: Unfinished | undefined;
  #recording: File | undefined;
  #past: Step[] = [];
  #future: Step[] = [];
  readonly #listeners = new Set<(change: DocumentChange) => void>();

  private constructor(content: DocumentContent, isGrowing: boolean) {
    const { id, name, created, task, knowsDigitsAlone, englishModel } = content;
    this.#facts = {
      id,
      name,
      created,
      ...(task && { task }),
      ...(knowsDigitsAlone && { knowsDigitsAlone }),
      ...(englishModel !== undefined && { englishModel }),
    };
    this.#segments = [...content.segments];
    this.#rejected = content.rejected;
    this.#people = content.people ?? [];
    this.#language = content.language;
    this.#duration = content.duration;
    this.#note = content.note;
    this.#isGrowing = isGrowing;
  }

  /** An empty one that waits for segments. */
  static begin(facts: DocumentFacts): TranscriptDocument {
    return new TranscriptDocument({ ...facts, segments: [], rejected: [], note: '' }, true);
  }

  /** One that was kept. */
  static of(content: DocumentContent): TranscriptDocument {
    return new TranscriptDocument(content, false);
  }

  get facts(): DocumentFacts {
    return this.#facts;
  }

  get segments(): readonly HeardSegment[] {
    return this.#segments;
  }

  get rejected(): readonly RejectedSegment[] {
    return this.#rejected;
  }

  /** Those who speak; nobody where that is not known. */
  get people(): readonly Person[] {
    return this.#people;
  }

  get note(): string {
    return this.#note;
  }

  get duration(): number | undefined {
    return this.#duration;
  }

  /** More segments may come. */
  get isGrowing(): boolean {
    return this.#isGrowing;
  }

  /** Present where it can go on after its end. */
  get unfinished(): Unfinished | undefined {
    return this.#unfinished;
  }

  set unfinished(unfinished: Unfinished | undefined) {
    if (unfinished === this.#unfinished) return;
    this.#unfinished = unfinished;
    this.#tell('rest', []);
  }

  /** What it is the transcript of, as long as the page has it. */
  get recording(): File | undefined {
    return this.#recording;
  }

  set recording(recording: File | undefined) {
    if (recording === this.#recording) return;
    this.#recording = recording;
    this.#tell('recording', []);
  }

  /** Where its last segment ends, in seconds, whatever became of its text. */
  get heardUntil(): number {
    return this.#segments.reduce((last, { end }) => Math.max(last, end), 0);
  }

  get isEmpty(): boolean {
    return this.#segments.every(({ text }) => text.trim() === '');
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  get content(): DocumentContent {
    return {
      ...this.facts,
      segments: [...this.#segments],
      rejected: this.#rejected,
      ...(this.#people.length > 0 && { people: this.#people }),
      note: this.#isGrowing ? this.noteSoFar : this.#note,
      ...(this.#language !== undefined && { language: this.#language }),
      ...(this.#duration !== undefined && { duration: this.#duration }),
    };
  }

  /** The segments that have text. */
  get spoken(): readonly HeardSegment[] {
    return this.#segments.filter(({ text }) => text.trim() !== '');
  }

  /** What is there now, edits included, as format() takes it; also while it grows. */
  get transcript(): TranscriptLike {
    const segments = this.spoken;
    const language = this.#language ?? segments[0]?.language;
    return {
      text: segments.map(({ text }) => text).join(''),
      segments,
      ...(language !== undefined && { language }),
      ...(this.#duration !== undefined && { duration: this.#duration }),
    };
  }

  /** The paragraphs as they are read. */
  get paragraphs(): readonly SpokenParagraph[] {
    return spokenParagraphs(this.#segments);
  }

  /** The text alone, a line for each paragraph and an empty one between them; a speaker's first line begins with the name. */
  get paragraphText(): string {
    return plainText(this.paragraphs);
  }

  /** The first letters of that text, without putting all of it together. */
  beginning(letters: number): string {
    let count = 0;
    const last = this.#segments.findIndex(({ text }) => (count += text.trim().length) >= letters);
    const first = last === -1 ? this.#segments : this.#segments.slice(0, last + 1);
    return plainText(spokenParagraphs(first)).slice(0, letters);
  }

  /** Calls `listener` after each change; the answer ends that. */
  listen(listener: (change: DocumentChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A segment of silence has no text and is left out. */
  add(segment: HeardSegment): void {
    if (segment.text.trim() === '') return;
    this.#segments.push(segment);
    this.#tell('added', [this.#segments.length - 1]);
  }

  /** It goes on growing. */
  resume(): void {
    this.noteSoFar = this.#note;
    this.#isGrowing = true;
    this.#tell('state', []);
  }

  /** All is there. */
  finish(
    result: {
      readonly language?: string;
      readonly duration: number;
      readonly rejected: readonly RejectedSegment[];
      readonly segments?: readonly HeardSegment[];
      readonly speakers?: ToldApart['speakers'];
    },
    note: string,
  ): void {
    const { segments, speakers = [] } = result;
    if (segments && speakers.length > 0) this.#tellApart({ segments, speakers });
    this.unfinished = undefined;
    this.#language = result.language;
    this.#duration = result.duration;
    this.#rejected = result.rejected.map(({ start, end, text, decision }) => ({
      start,
      end,
      text,
      decision,
    }));
    this.#end(note);
  }

  /** It ends here, for the reason in the note. */
  interrupt(note: string): void {
    this.#end(note);
  }

  /** It is as another tab has made it; what could be undone is gone. */
  renew(content: DocumentContent): void {
    const { segments, rejected, people = [], language, duration, note, name } = content;
    this.#name = name;
    this.#segments = [...segments];
    this.#rejected = rejected;
    this.#people = people;
    this.#language = language;
    this.#duration = duration;
    this.#note = note;
    this.#past = [];
    this.#future = [];
    this.#tell('renewed', []);
  }

  /** What was edited while it grew can still be undone, and so can this then. */
  #tellApart(toldApart: ToldApart): void {
    this.#tell('settling', []);
    const parts = partsOf(this.#segments, toldApart);
    const edits = this.#segments.map((before, at) => ({ at, before, after: parts[at] ?? [] }));
    const people = speaking(peopleOf(toldApart), parts.flat());
    const step = this.#step(edits, people, this.facts.name);
    if (this.#past.length > 0) this.#past.push(step);
    this.#future = [];
    this.#apply(step, 'told');
  }

  #end(note: string): void {
    this.#note = note;
    this.#isGrowing = false;
    this.#tell('state', []);
  }

  /** Changes the text of segments in one step; their times stay. Returns how many differ. */
  edit(texts: ReadonlyMap<number, string>): number {
    return this.#edit(texts, (segment) => [segment]);
  }

  /** Begins a paragraph in the middle of another: its segment becomes two. */
  split({ texts, at, letter }: Split): void {
    this.#edit(texts, (segment, number) => {
      if (number !== at) return [segment];
      if (letter === 0) return [{ ...segment, begins: true }];
      return divided(segment, letter);
    });
  }

  /** The paragraph that begins with segment `at` goes on the one before, and so does its speaker. */
  join(texts: ReadonlyMap<number, string>, at: number): void {
    const speaker = this.#segments.slice(0, at).findLast(({ text }) => text.trim() !== '')?.speaker;
    this.#edit(texts, (segment, number) => {
      const said = saidBy(segment, speaker);
      return [number === at ? { ...said, begins: false } : said];
    });
  }

  /** Another name for the transcript; blanks alone are none. */
  call(name: string): void {
    const line = asLine(name);
    if (line !== '') this.#do([], this.#people, line);
  }

  /** The name that another tab has given it. A person can undo only what was done here. */
  named(name: string): void {
    if (name === this.facts.name) return;
    this.#name = name;
    this.#tell('named', []);
  }

  set #name(name: string) {
    this.#facts = { ...this.#facts, name };
  }

  /** Another name for a person. Those who get one name become one person. */
  rename(from: string, name: string): void {
    const to = asLine(name);
    if (to === '' || to === from) return;
    const isThere = this.#people.some((person) => person.name === to);
    const people = this.#people.flatMap((person) => {
      if (person.name !== from) return [person];
      return isThere ? [] : [{ ...person, name: to }];
    });
    this.#attribute((segment) => renamed(segment, from, to), people);
  }

  /** These segments are said by this person; without a name, by somebody new. */
  attribute(group: readonly number[], name?: string): void {
    const known = this.#people.find((person) => person.name === name);
    const person = known ?? another(this.#people);
    const people = known ? this.#people : [...this.#people, person];
    const numbers = new Set(group);
    this.#attribute(
      (segment, at) => (numbers.has(at) ? saidBy(segment, person.name) : segment),
      people,
    );
  }

  #attribute(
    change: (segment: HeardSegment, at: number) => HeardSegment,
    people: readonly Person[],
  ): void {
    const all = this.#segments.map(change);
    const edits = this.#segments.flatMap((before, at) => {
      const after = all[at];
      return after && after !== before ? [{ at, before, after: [after] }] : [];
    });
    // Somebody who says nothing any more is none of them.
    this.#do(edits, speaking(people, all));
  }

  #edit(
    texts: ReadonlyMap<number, string>,
    change: (segment: HeardSegment, at: number) => readonly HeardSegment[],
  ): number {
    const edits: Edit[] = [];
    for (const [at, text] of texts) {
      const before = this.#segments[at];
      if (!before) continue;
      const isSame = asLine(text) === asLine(before.text);
      const after = change(isSame ? before : edited(before, text), at);
      if (after.length > 1 || after[0] !== before) edits.push({ at, before, after });
    }
    if (edits.length === 0) return 0;
    edits.sort((a, b) => a.at - b.at);
    this.#do(edits);
    return edits.length;
  }

  #do(edits: readonly Edit[], people = this.#people, name = this.facts.name): void {
    if (edits.length === 0 && name === this.facts.name) return;
    const step = this.#step(edits, people, name);
    this.#past.push(step);
    this.#future = [];
    this.#apply(step);
  }

  #step(edits: readonly Edit[], people: readonly Person[], name: string): Step {
    return {
      edits,
      people: { before: this.#people, after: people },
      name: { before: this.facts.name, after: name },
    };
  }

  /** Takes the last step back. Segments that came since then stay. */
  undo(): void {
    const step = this.#past.pop();
    if (!step) return;
    this.#future.push(step);
    const { edits, people, name } = step;
    this.#people = people.before;
    if (name.before !== name.after) this.#name = name.before;
    for (const { at, before, after } of edits) this.#segments.splice(at, after.length, before);
    this.#tell(
      'edited',
      edits.map(({ at }) => at),
    );
  }

  redo(): void {
    const step = this.#future.pop();
    if (!step) return;
    this.#past.push(step);
    this.#apply(step);
  }

  #apply({ edits, people, name }: Step, kind: 'edited' | 'told' = 'edited'): void {
    this.#people = people.after;
    if (name.before !== name.after) this.#name = name.after;
    const changed: number[] = [];
    let more = 0;
    for (const { at, after } of edits) {
      this.#segments.splice(at + more, 1, ...after);
      changed.push(...after.map((_, index) => at + more + index));
      more += after.length - 1;
    }
    this.#tell(kind, changed);
  }

  #tell(kind: DocumentChange['kind'], segments: readonly number[]): void {
    for (const listener of [...this.#listeners]) listener({ kind, segments });
  }
}

function spokenParagraphs(all: readonly HeardSegment[]): readonly SpokenParagraph[] {
  let before: string | undefined;
  return paragraphsOf(all).flatMap((group) => {
    const segments = group.flatMap((at) => all[at] ?? []);
    const [first] = segments;
    if (!first) return [];
    const text = segments
      .map((segment) => `${spaceBefore(segment)}${segment.text.trim()}`)
      .join('')
      .trim();
    const { start, speaker } = first;
    const isNamed = speaker !== undefined && speaker !== before;
    before = speaker;
    return [{ start, text, ...(isNamed && { speaker }) }];
  });
}

/** The tokens and attempts that the model made belong to the text as it was, and go. */
const ofTheOldText = new Set(['tokens', 'tokenProbabilities', 'attempts']);

function edited(segment: HeardSegment, text: string): HeardSegment {
  const kept = Object.fromEntries(
    Object.entries(segment).filter(([name]) => !ofTheOldText.has(name)),
  ) as unknown as HeardSegment;
  const space = /^\s*/u.exec(segment.text)?.[0] ?? '';
  const line = asLine(text);
  if (!segment.words) return { ...kept, text: line === '' ? '' : `${space}${line}` };
  const words = retimedWords(segment.words, line, segment);
  return saidBy({ ...kept, text: textOf(words), words }, segment.speaker);
}

/** Two segments in place of one, the second from this letter on; words are not divided. */
function divided(segment: HeardSegment, letter: number): readonly HeardSegment[] {
  const text = segment.text.trim();
  const space = leadingSpace(segment.language);
  const { start, end, words } = segment;
  const [head, tail] = [text.slice(0, letter).trimEnd(), `${space}${text.slice(letter).trim()}`];
  if (!words) {
    const middle = start + ((end - start) * letter) / text.length;
    const first = { ...segment, text: `${space}${head}`, end: middle };
    return [first, { ...segment, text: tail, start: middle, begins: true }];
  }
  let letters = 0;
  const lead = /^\s*/u.exec(segment.text)?.[0].length ?? 0;
  const count = words.findIndex(({ word }) => {
    letters += word.length;
    return letters - lead > letter;
  });
  const [before, after] = [words.slice(0, count), words.slice(count)];
  const [next] = after;
  if (!next || before.length === 0) return [{ ...segment, begins: true }];
  const later = [{ ...next, word: `${space}${next.word.trimStart()}` }, ...after.slice(1)];
  return [
    { ...segment, text: textOf(before), words: before, end: before.at(-1)?.end ?? next.start },
    { ...segment, text: textOf(later), words: later, start: next.start, begins: true },
  ];
}

const textOf = (words: readonly HeardWord[]): string => words.map(({ word }) => word).join('');
