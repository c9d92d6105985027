// From a recording to its transcript on the page.
import type { Model } from '../../src/index.js';
import type { FactsView } from '../models/facts_view.js';
import type { SpeedPromise } from '../models/speed_promise.js';
import { duration } from '../shell/format.js';
import { strings } from '../strings.js';
import { hearSpeech } from './hear_speech.js';
import type { ListeningOptions } from './listening_options.js';
import { newId, TranscriptDocument } from './transcript_document.js';

interface Parts {
  readonly facts: FactsView;
  readonly speed: SpeedPromise;
  readonly listening: ListeningOptions;
}

export const doneText = ({ audio, work }: { readonly audio: number; readonly work: number }) =>
  strings.status.done(duration(audio), duration(work));

/** One recording's turn. */
export interface Turn {
  readonly knowsDigitsAlone: boolean;
  readonly signal: AbortSignal;
  /** The transcript has begun. */
  readonly onText: (document: TranscriptDocument) => void;
  readonly onPart: (part: number, remainingSeconds?: number) => void;
}

export class Transcriber {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the sentence for the end. */
  async transcribe(
    model: Model,
    file: File,
    { knowsDigitsAlone, signal, onText, onPart }: Turn,
  ): Promise<string> {
    const { facts, speed, listening } = this.#parts;
    const document = TranscriptDocument.begin({
      id: newId(),
      name: file.name,
      created: Date.now(),
      task: listening.task,
      knowsDigitsAlone,
    });
    document.recording = file;
    onText(document);
    const took = await hearSpeech(model, file, signal, document, { listening, onPart });
    facts.speed(took.work, took.audio);
    speed.measured(took.work, took.audio);
    facts.memory(await model.memory());
    return doneText(took);
  }
}
