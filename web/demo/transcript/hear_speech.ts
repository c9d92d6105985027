// Transcribes a recording, segment by segment into a document.
import { SusurrusError } from '../../src/index.js';
import type { AnyTranscribeOptions, Model, Transcript } from '../../src/index.js';
import type { SpeakerOptions } from '../../src/speakers.js';
import type { Pausing } from '../files/pausing.js';
import type { Place } from '../files/recording_queue.js';
import { duration } from '../shell/format.js';
import { strings } from '../strings.js';
import { shortClock } from './short_clock.js';
import { languageName, type ListeningOptions } from './listening_options.js';
import type { TranscriptDocument } from './transcript_document.js';

interface CommonParts {
  /** The name of the model, by which it is known again. */
  readonly modelName: string;
  readonly onPart: (part: number, remainingSeconds?: number, place?: Place) => void;
  readonly pausing: Pausing;
}

interface Parts extends CommonParts {
  readonly listening: ListeningOptions;
  /** What tells the speakers apart. */
  readonly speakers: SpeakerOptions | undefined;
  /** That failed before there was any text; it goes on without them. */
  readonly onSpeakersFailed: (error: unknown) => void;
}

/** Seconds of the recording and of the work, pauses left out. */
export interface Took {
  readonly audio: number;
  readonly work: number;
}

/** What was saved of a transcription is not of this model or this recording. */
export class CannotGoOn extends Error {}

/** If it is stopped or fails, the document ends there and keeps its text. */
export async function hearSpeech(
  model: Model,
  file: File,
  signal: AbortSignal,
  document: TranscriptDocument,
  { listening, speakers, onSpeakersFailed, ...parts }: Parts,
): Promise<Took> {
  const hearing = new Hearing(model, file, signal, document, parts);
  const { value: options, speakers: asked } = listening;
  return hearing.run(asked !== undefined, () =>
    hearing.hear({ ...options, ...(speakers && { speakers }) }).catch((error: unknown) => {
      if (!speakers || signal.aborted || document.segments.length > 0) throw error;
      onSpeakersFailed(error);
      return hearing.hear(options);
    }),
  );
}

/** Goes on with a document that ended early. Throws CannotGoOn, with the document as it was, if that is not possible. */
export async function goOn(
  model: Model,
  file: File,
  signal: AbortSignal,
  document: TranscriptDocument,
  parts: CommonParts,
): Promise<Took> {
  const from = document.unfinished?.saved;
  const hearing = new Hearing(model, file, signal, document, parts);
  const note = document.note;
  document.recording = file;
  document.resume();
  const { audio, work } = await hearing.run(false, () =>
    hearing.hear({ ...(from && { from }) }).catch((error: unknown) => {
      const isRefused = error instanceof SusurrusError && error.code === 'invalid_argument';
      if (!isRefused || hearing.hasBegun) throw error;
      document.interrupt(note);
      document.unfinished = undefined;
      throw new CannotGoOn(error.message, { cause: error });
    }),
  );
  return { audio: audio - (from?.duration ?? 0), work };
}

/** Parts of the work that are told one by one: about as many as the bar has pixels. */
const toldParts = 1000;

/** Milliseconds between two saves, and as many more for each segment: the longer it is, the longer it takes. */
const [savePause, savePauseOfSegment] = [3000, 20];

class Hearing {
  readonly #model: Model;
  readonly #file: File;
  readonly #signal: AbortSignal;
  readonly #document: TranscriptDocument;
  readonly #parts: CommonParts;
  readonly #began = performance.now();
  /** What is there already: its edits stay, and it is not heard anew. */
  readonly #heardBefore: number;
  /** The length of the recording. */
  #end = '';
  #saveAt = 0;
  #toldPart = -1;
  #hasBegun = false;
  #work: ReturnType<Model['transcribe']> | undefined;

  constructor(
    model: Model,
    file: File,
    signal: AbortSignal,
    document: TranscriptDocument,
    parts: CommonParts,
  ) {
    this.#model = model;
    this.#file = file;
    this.#signal = signal;
    this.#document = document;
    this.#parts = parts;
    this.#heardBefore = document.heardUntil;
  }

  /** Whether there was something new. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  async hear(options: AnyTranscribeOptions): Promise<Transcript> {
    const { onPart, pausing } = this.#parts;
    const work = this.#model.transcribe(this.#file, {
      ...options,
      signal: this.#signal,
      onProgress: ({ phase, loaded, total, overall, remainingSeconds }) => {
        const place =
          phase === 'transcribe' && total !== undefined ? { heard: loaded, total } : undefined;
        if (place) this.#end = shortClock(place.total);
        const part = Math.floor(overall * toldParts);
        if (this.#signal.aborted || part === this.#toldPart) return;
        this.#toldPart = part;
        onPart(overall, remainingSeconds, place);
      },
    });
    this.#work = work;
    pausing.hold(work);
    for await (const segment of work) {
      this.#signal.throwIfAborted();
      this.#hasBegun = true;
      if ((segment.start + segment.end) / 2 < this.#heardBefore) continue;
      this.#document.noteSoFar = strings.transcript.stoppedAt(shortClock(segment.end), this.#end);
      this.#document.add(segment);
      if (performance.now() >= this.#saveAt) this.#save();
    }
    return work;
  }

  /** `wantsSpeakers`: whether they are missed where nobody was told apart. */
  async run(wantsSpeakers: boolean, hear: () => Promise<Transcript>): Promise<Took> {
    const document = this.#document;
    try {
      const result = await hear();
      const work = (performance.now() - this.#began) / 1000 - this.#parts.pausing.seconds;
      const facts = [
        duration(result.duration),
        languageName(result.language),
        ...(document.facts.task === 'translate' ? [strings.transcript.translated] : []),
        ...(wantsSpeakers && !result.speakers ? [strings.speakers.noteNotTold] : []),
      ];
      document.finish(result, facts.filter((fact) => fact !== '').join(' · '));
      return { audio: result.duration, work };
    } catch (error) {
      if (!(error instanceof CannotGoOn)) {
        this.#save();
        document.interrupt(this.#signal.aborted ? this.#stoppedAt : strings.transcript.failed);
      }
      throw error;
    }
  }

  get #stoppedAt(): string {
    const heard = this.#document.segments.at(-1)?.end;
    return heard === undefined
      ? strings.transcript.stopped
      : strings.transcript.stoppedAt(shortClock(heard), this.#end);
  }

  /** The page may go at any time. */
  #save(): void {
    const saved = this.#work?.save();
    if (!saved) return;
    const { name, size, lastModified } = this.#file;
    const file = { name, size, lastModified };
    this.#document.unfinished = { saved, model: this.#parts.modelName, file };
    this.#saveAt = performance.now() + savePause + savePauseOfSegment * saved.segments.length;
  }
}
