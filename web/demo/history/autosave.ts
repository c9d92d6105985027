// Keeps a transcript as it grows and is edited: soon after each change, one write at a time.
import {
  newId,
  type DocumentChange,
  type DocumentContent,
  type TranscriptDocument,
} from '../transcript/transcript_document.js';
import type { Kept, KeptTranscripts } from './kept_transcripts.js';
import { areSame, type Unwritten } from './last_words.js';

/** Where transcripts are kept. */
export type Keeper = Pick<KeptTranscripts, 'write' | 'read'>;

export interface AutosaveCalls {
  readonly onKept: () => void;
  /** It could not be kept; the next change tries again. */
  readonly onProblem: (error: unknown) => void;
  /** The name of a copy, when another tab has changed the same transcript. */
  readonly nameOfCopy: (name: string) => string;
}

/** Milliseconds from a change to its write. */
export const saveDelay = 400;
/** So many for each segment, where those are more: all of them are written each time, while hours are heard. */
export const saveDelayOfSegment = 2;
/** Letters of the beginning that the list shows. */
const beginningLength = 140;

/** Changes that are no change of what is written here. */
const notWritten = new Set<DocumentChange['kind']>(['renewed', 'rest', 'recording', 'named']);

export class Autosave {
  readonly #document: TranscriptDocument;
  readonly #keeper: Keeper;
  readonly #calls: AutosaveCalls;
  /** Marks what this document has written. */
  readonly #writer = newId();
  #id: string;
  /** A copy is called so until a person gives the document another name. */
  #copy: { readonly of: string; readonly name: string } | undefined;
  /** The document as it is stored at this revision. */
  #stored: DocumentContent;
  #revision: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer ends. */
  #due = 0;
  #isDirty = false;
  /** A person made some of what is not written yet. */
  #isByHand = false;
  #isWritingByHand = false;
  #writing: Promise<void> | undefined;

  /** `revision`: the stored revision, or 0 if there is none. */
  constructor(
    document: TranscriptDocument,
    keeper: Keeper,
    calls: AutosaveCalls,
    revision: number,
  ) {
    this.#document = document;
    this.#keeper = keeper;
    this.#calls = calls;
    this.#id = document.facts.id;
    this.#stored = document.content;
    this.#revision = revision;
    document.listen((change) => this.#onChange(change));
  }

  get id(): string {
    return this.#id;
  }

  /** The name that it is kept under. */
  get name(): string {
    const { name } = this.#document.facts;
    return this.#copy?.of === name ? this.#copy.name : name;
  }

  /** The revision that the document is, where nothing of it waits to be written and it grows no more. */
  get settledRevision(): number | undefined {
    const isSettled = !this.#isDirty && !this.#writing && !this.#document.isGrowing;
    return isSettled ? this.#revision : undefined;
  }

  /** What is not kept yet, a write that is under way included. */
  get unwritten(): Unwritten | undefined {
    if (!this.#isDirty && !this.#writing) return undefined;
    const mayReturn = this.#isByHand || this.#isWritingByHand;
    return { kept: this.#kept(), known: this.#revision, mayReturn };
  }

  /** The document becomes what another tab has written. */
  renew(content: DocumentContent, revision: number): void {
    this.#revision = revision;
    this.#stored = content;
    this.#document.renew(content);
  }

  /** Takes the name that another tab has given it, if nothing waits to be written. */
  async agree(): Promise<void> {
    if (!this.#isDirty && !this.#writing) await this.#takeName();
  }

  /** Returns whether what is stored by now differs in the name alone. A name that was given here, too, stays. */
  async #takeName(): Promise<boolean> {
    const there = await this.#keeper.read(this.#id);
    const { name } = this.#stored;
    if (!there || !areSame({ ...there.content, name }, this.#stored)) return false;
    const isNamedHere = this.name !== name;
    this.#revision = there.revision;
    this.#stored = there.content;
    if (!isNamedHere && there.content.name !== name) {
      this.#copy = undefined;
      this.#document.named(there.content.name);
    }
    return true;
  }

  /** Returns whether nothing but the name was changed here: then the text is what another tab has made of it. */
  async #takeText(): Promise<boolean> {
    const { name } = this.#stored;
    if (!areSame({ ...this.#kept().content, name }, this.#stored)) return false;
    const there = await this.#keeper.read(this.#id);
    if (!there) return false;
    this.renew({ ...there.content, name: this.name }, there.revision);
    return true;
  }

  /** Writes at once what is not written yet. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#writing) await this.#writing;
    if (!this.#isDirty) return;
    this.#writing = this.#write();
    await this.#writing;
  }

  #onChange({ kind }: DocumentChange): void {
    if (notWritten.has(kind)) return;
    this.#isDirty = true;
    const isByHand = kind === 'edited';
    if (isByHand) this.#isByHand = true;
    const growth = isByHand ? 0 : saveDelayOfSegment * this.#document.segments.length;
    const delay = Math.max(saveDelay, growth);
    // Not put off by further changes: a transcript that grows without a pause is kept, too.
    if (this.#timer !== undefined && this.#due <= Date.now() + delay) return;
    clearTimeout(this.#timer);
    this.#due = Date.now() + delay;
    this.#timer = setTimeout(() => void this.flush(), delay);
  }

  async #write(): Promise<void> {
    const isByHand = this.#isByHand;
    this.#isWritingByHand = isByHand;
    this.#isDirty = false;
    this.#isByHand = false;
    try {
      let kept = await this.#writeNow(isByHand);
      while (kept === 'changed' && ((await this.#takeName()) || (await this.#takeText()))) {
        kept = await this.#writeNow(isByHand);
      }
      if (kept === 'gone') {
        // It is written should a person bring it back, or go on editing it.
        this.#isDirty = true;
        return;
      }
      if (kept === 'changed') await this.#writeCopy();
      this.#calls.onKept();
    } catch (error) {
      this.#isDirty = true;
      this.#isByHand ||= isByHand;
      this.#calls.onProblem(error);
    } finally {
      this.#writing = undefined;
      this.#isWritingByHand = false;
    }
  }

  async #writeNow(isByHand: boolean): Promise<number | 'changed' | 'gone'> {
    const all = this.#kept();
    const kept = await this.#keeper.write(all, this.#revision, isByHand);
    if (typeof kept !== 'number') return kept;
    this.#revision = kept;
    this.#stored = all.content;
    return kept;
  }

  /** Another tab has changed the same transcript: both stay. */
  async #writeCopy(): Promise<void> {
    const name = this.#calls.nameOfCopy(this.name);
    this.#id = newId();
    this.#copy = { of: this.#document.facts.name, name };
    this.#revision = 0;
    await this.#writeNow(true);
  }

  #kept(): Kept {
    const content: DocumentContent = {
      ...this.#document.content,
      id: this.#id,
      name: this.name,
    };
    const { created, duration } = content;
    return {
      id: this.#id,
      name: content.name,
      writer: this.#writer,
      created,
      changed: Date.now(),
      ...(duration !== undefined && { duration }),
      beginning: this.#document.beginning(beginningLength),
      content,
    };
  }
}
