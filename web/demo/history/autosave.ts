// Keeps a transcript as it grows and is edited: soon after each change, one write at a time.
import {
  newId,
  type DocumentChange,
  type DocumentContent,
  type TranscriptDocument,
} from '../transcript/transcript_document.js';
import type { Kept, KeptTranscripts } from './kept_transcripts.js';
import type { Unwritten } from './last_words.js';

/** Where transcripts are kept. */
export type Keeper = Pick<KeptTranscripts, 'write'>;

export interface AutosaveCalls {
  readonly onKept: () => void;
  /** It could not be kept; the next change tries again. */
  readonly onProblem: (error: unknown) => void;
  /** The name of a copy, when another tab has changed the same transcript. */
  readonly nameOfCopy: (name: string) => string;
}

/** Milliseconds from a change to its write. */
export const saveDelay = 400;
/** Letters of the beginning that the list shows. */
const beginningLength = 140;

export class Autosave {
  readonly #document: TranscriptDocument;
  readonly #keeper: Keeper;
  readonly #calls: AutosaveCalls;
  #id: string;
  #name: string;
  #revision: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
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
    this.#name = document.facts.name;
    this.#revision = revision;
    document.listen((change) => this.#onChange(change));
  }

  get id(): string {
    return this.#id;
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
    this.#document.renew(content);
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
    if (kind === 'renewed' || kind === 'rest') return;
    this.#isDirty = true;
    if (kind === 'edited') this.#isByHand = true;
    // Not put off by further changes: a transcript that grows without a pause is kept, too.
    this.#timer ??= setTimeout(() => void this.flush(), saveDelay);
  }

  async #write(): Promise<void> {
    const isByHand = this.#isByHand;
    this.#isWritingByHand = isByHand;
    this.#isDirty = false;
    this.#isByHand = false;
    try {
      const kept = await this.#keeper.write(this.#kept(), this.#revision, isByHand);
      if (kept === 'gone') {
        // It is written should a person bring it back, or go on editing it.
        this.#isDirty = true;
        return;
      }
      if (kept === 'changed') await this.#writeCopy();
      else this.#revision = kept;
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

  /** Another tab has changed the same transcript: both stay. */
  async #writeCopy(): Promise<void> {
    this.#id = newId();
    this.#name = this.#calls.nameOfCopy(this.#name);
    const kept = await this.#keeper.write(this.#kept(), 0, true);
    this.#revision = typeof kept === 'number' ? kept : 0;
  }

  #kept(): Kept {
    const content: DocumentContent = {
      ...this.#document.content,
      id: this.#id,
      name: this.#name,
    };
    const { created, duration } = content;
    return {
      id: this.#id,
      name: this.#name,
      created,
      changed: Date.now(),
      ...(duration !== undefined && { duration }),
      beginning: this.#document.paragraphText.slice(0, beginningLength),
      content,
    };
  }
}
