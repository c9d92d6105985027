// Every transcript of this page: the ones at work, and those of earlier visits.
import { abandoned } from '../live/session_lock.js';
import { FileFolder } from '../shell/file_folder.js';
import { newId, TranscriptDocument } from '../transcript/transcript_document.js';
import { Autosave, type Keeper } from './autosave.js';
import type { Deleted, Kept, KeptEntry, KeptTranscripts } from './kept_transcripts.js';
import { areSame, type Unwritten } from './last_words.js';

export interface LibraryCalls {
  /** The list is another one now, here or in another tab. */
  readonly onChange: () => void;
  readonly onProblem: (error: unknown) => void;
  readonly nameOfCopy: (name: string) => string;
}

/** One for each transcript, by its id, where a person wants that. */
export const keptRecordings = new FileFolder('susurrus-recordings');

export interface RecordingCalls {
  /** Whether recordings are kept with the transcripts that are written from now on. */
  readonly isOn: () => boolean;
  /** One is kept, or could not be: then with the name of its transcript, which is kept all the same. */
  readonly onKept: (notKept?: string) => void;
}

type Keeping = Keeper &
  Pick<
    KeptTranscripts,
    'list' | 'read' | 'writeUnfinished' | 'readUnfinished' | 'delete' | 'restore' | 'deleteAll'
  >;

/** Tells other tabs. */
interface Channel {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => unknown) | null;
}

interface Opened {
  readonly document: TranscriptDocument;
  readonly autosave: Autosave;
  /** The recording that was kept under this id, or refused. */
  tried?: { readonly recording: File; readonly id: string } | undefined;
}

export class Library {
  readonly #keeping: Keeping;
  readonly #calls: LibraryCalls;
  readonly #channel: Channel | undefined;
  /** Documents that this tab has open, each with what keeps it. */
  readonly #open: Opened[] = [];
  /** Those that are being read: one document for each, however often it is asked for. */
  readonly #opening = new Map<string, Promise<TranscriptDocument | undefined>>();
  readonly #recordingCalls: RecordingCalls | undefined;
  /** Those that were read here, with the ids that they are kept under. */
  readonly #readRecordings = new WeakMap<File, string>();
  /** Until something changes there. */
  #recordings: Promise<ReadonlyMap<string, number>> | undefined;

  constructor(
    keeping: Keeping,
    calls: LibraryCalls,
    channel?: Channel,
    recordingCalls?: RecordingCalls,
  ) {
    this.#keeping = keeping;
    this.#calls = calls;
    this.#channel = channel;
    this.#recordingCalls = recordingCalls;
    if (channel) {
      channel.onmessage = ({ data }) => {
        if (data === 'recordings') void this.#renewRecordings();
        // A deleted transcript may be back; text that came meanwhile is kept.
        void this.flush();
        void this.#agree();
        calls.onChange();
      };
    }
  }

  /** Keeps a document from its first words on; one that goes on is kept already. */
  keep(document: TranscriptDocument): void {
    if (this.#open.some((one) => one.document === document)) return;
    this.#keep(document, 0);
  }

  #keep(document: TranscriptDocument, revision: number): void {
    const autosave = new Autosave(
      document,
      {
        // An empty transcript is not worth keeping, unless it was emptied by hand.
        write: (kept, known, mayReturn) =>
          document.isEmpty && known === 0
            ? Promise.resolve(0)
            : this.#keeping.write(kept, known, mayReturn),
        read: (id) => this.#keeping.read(id),
      },
      {
        onKept: () => {
          this.#tell();
          void this.#keepRecording(one);
        },
        onProblem: this.#calls.onProblem,
        nameOfCopy: this.#calls.nameOfCopy,
      },
      revision,
    );
    const one: Opened = { document, autosave };
    this.#open.push(one);
    document.listen(({ kind }) => {
      if (kind === 'rest') void this.#writeUnfinished(document, autosave);
      if (kind === 'recording') void this.keepRecording(document);
    });
  }

  /** Keeps the recording of a document that is open, where a person wants that by now. */
  async keepRecording(document: TranscriptDocument): Promise<void> {
    const one = this.#open.find((each) => each.document === document);
    if (!one) return;
    await one.autosave.flush();
    await this.#keepRecording(one);
  }

  /** Beside a transcript that is kept, once. */
  async #keepRecording(one: Opened): Promise<void> {
    const { recording, facts } = one.document;
    const { id } = one.autosave;
    if (!recording || !this.#recordingCalls?.isOn()) return;
    const isTried = one.tried?.recording === recording && one.tried.id === id;
    if (isTried || this.#readRecordings.get(recording) === id) return;
    one.tried = { recording, id };
    const isThere = async (): Promise<boolean> =>
      (await this.#keeping.list().catch(() => [])).some((entry) => entry.id === id);
    const wasThere = await isThere();
    const kept = wasThere && (await keptRecordings.keep(id, [recording], isThere));
    if (kept) {
      this.#recordingCalls.onKept();
      await this.#tellRecordings();
    } else if (wasThere && (await isThere())) {
      this.#recordingCalls.onKept(facts.name);
    } else {
      // The transcript may be written yet, or come back.
      one.tried = undefined;
    }
  }

  async #readRecording(id: string): Promise<File | undefined> {
    const recording = (await keptRecordings.read(id))?.files[0];
    if (recording) this.#readRecordings.set(recording, id);
    return recording;
  }

  /** Their bytes, by the ids of their transcripts. */
  recordings(): Promise<ReadonlyMap<string, number>> {
    this.#recordings ??= keptRecordings
      .all()
      .then((all) => new Map(all.map(({ name, byteCount }) => [name, byteCount])));
    return this.#recordings;
  }

  /** Others are there now: what is open has its own, and none that is gone. */
  async #renewRecordings(): Promise<void> {
    const before = this.#recordings;
    this.#recordings = undefined;
    const there = await this.recordings();
    const wereThere = await before;
    for (const one of this.#open) {
      const { document, autosave } = one;
      const { recording } = document;
      const from = recording && this.#readRecordings.get(recording);
      const isOther = recording ? from !== undefined && !there.has(from) : there.has(autosave.id);
      if (isOther) document.recording = await this.#readRecording(autosave.id);
      // It is kept anew should its transcript come back.
      if (wereThere?.has(autosave.id) && !there.has(autosave.id)) one.tried = undefined;
    }
  }

  /** Deletes the recordings of transcripts that are gone: of these, and of those that no tab can bring back. */
  async sweep(gone: readonly string[] = []): Promise<void> {
    const isSwept = await keptRecordings.sweep(async (ids) => {
      const kept = new Set((await this.#keeping.list()).map(({ id }) => id));
      const free = new Set([...gone, ...(await abandoned(ids))]);
      return ids.filter((id) => !kept.has(id) && free.has(id));
    });
    if (isSwept) await this.#tellRecordings();
  }

  async #tellRecordings(): Promise<void> {
    await this.#renewRecordings();
    this.#calls.onChange();
    this.#channel?.postMessage('recordings');
  }

  /** Without it the text is kept all the same; a storage that is full is told of that. */
  async #writeUnfinished(document: TranscriptDocument, autosave: Autosave): Promise<void> {
    await autosave.flush();
    await this.#keeping.writeUnfinished(autosave.id, document.unfinished).catch(() => undefined);
  }

  async list(): Promise<readonly KeptEntry[]> {
    return this.#keeping.list();
  }

  /** Another tab may have given names. */
  async #agree(): Promise<void> {
    const entries = await this.#keeping.list().catch(() => []);
    for (const { autosave } of this.#open) {
      const entry = entries.find(({ id }) => id === autosave.id);
      if (entry && entry.name !== autosave.name) await autosave.agree().catch(() => undefined);
    }
  }

  /** Gives a transcript another name, which can be undone where it is open. */
  async rename(id: string, name: string): Promise<void> {
    const document = await this.open(id);
    document?.call(name);
    await this.#flushed(id);
  }

  /** As it was kept; one that is open here with changes of its own, as it is. Undefined when it is gone. */
  async open(id: string): Promise<TranscriptDocument | undefined> {
    const there = this.#open.find(({ autosave }) => autosave.id === id);
    const opening = this.#opening.get(id) ?? (there ? this.#renewed(there, id) : this.#read(id));
    this.#opening.set(id, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(id);
    }
  }

  /** Another tab may have changed it since. */
  async #renewed({ document, autosave }: Opened, id: string): Promise<TranscriptDocument> {
    document.recording ??= await this.#readRecording(id);
    const known = autosave.settledRevision;
    if (known === undefined) return document;
    // What is open needs no storage.
    const kept = await this.#keeping.read(id).catch(() => undefined);
    const isAsBefore = autosave.id === id && autosave.settledRevision === known;
    if (!kept || kept.revision === known || !isAsBefore) return document;
    const unfinished = await this.#keeping.readUnfinished(id).catch(() => undefined);
    autosave.renew(kept.content, kept.revision);
    document.unfinished = unfinished;
    return document;
  }

  async #read(id: string): Promise<TranscriptDocument | undefined> {
    const kept = await this.#keeping.read(id);
    if (!kept) return undefined;
    const document = TranscriptDocument.of(kept.content);
    document.unfinished = await this.#keeping.readUnfinished(id).catch(() => undefined);
    document.recording = await this.#readRecording(id);
    this.#keep(document, kept.revision);
    return document;
  }

  /**
   * Returns what restore() takes; undefined if it was gone already. Text that is transcribed from now on is not kept; an edit by the
   * user brings the transcript back.
   */
  async delete(id: string): Promise<Deleted | undefined> {
    await this.#flushed(id);
    const deleted = await this.#keeping.delete(id);
    this.#tell();
    return deleted;
  }

  /** Restores a deleted transcript, with the text that came since. If another version exists by now, both are kept. */
  async restore(deleted: Deleted): Promise<void> {
    if (!(await this.#keeping.restore(deleted))) await this.#writeCopy(deleted);
    await this.#flushed(deleted.id);
    this.#tell();
  }

  async #writeCopy(kept: Kept): Promise<void> {
    const named = { id: newId(), name: this.#calls.nameOfCopy(kept.name) };
    const { created, changed, duration, beginning } = kept;
    const content = { ...kept.content, ...named };
    const facts = { created, changed, beginning, ...(duration !== undefined && { duration }) };
    await this.#keeping.write({ ...facts, ...named, content }, 0, true);
  }

  async deleteAll(): Promise<void> {
    await this.flush();
    await this.#keeping.deleteAll();
    try {
      await keptRecordings.removeAll();
    } finally {
      await this.#tellRecordings();
    }
  }

  /** Its changes until now are changes of what was kept. */
  async #flushed(id: string): Promise<void> {
    const ofIt = this.#open.filter(({ autosave }) => autosave.id === id);
    await Promise.all(ofIt.map(({ autosave }) => autosave.flush()));
  }

  /** Writes all that is not written yet; for when the page goes. */
  async flush(): Promise<void> {
    await Promise.all(this.#open.map(({ autosave }) => autosave.flush()));
  }

  /** All that is not written yet. */
  get unwritten(): Unwritten[] {
    return this.#open.flatMap(({ document, autosave }) => {
      const one = autosave.unwritten;
      return one && !(document.isEmpty && one.known === 0) ? [one] : [];
    });
  }

  /** Writes the unwritten transcripts of closed pages, except those that were written after all or deleted since. */
  async settle(unwritten: readonly Unwritten[]): Promise<void> {
    for (const { kept, known, mayReturn } of unwritten) {
      const written = await this.#keeping.write(kept, known, mayReturn);
      if (written !== 'changed') continue;
      const there = await this.#keeping.read(kept.id);
      if (!areSame(there?.content, kept.content)) await this.#writeCopy(kept);
    }
    if (unwritten.length > 0) this.#tell();
  }

  #tell(): void {
    this.#calls.onChange();
    this.#channel?.postMessage('changed');
  }
}
