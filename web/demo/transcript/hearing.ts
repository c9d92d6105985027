// From a recording to its transcript on the page.
import type { Model } from '../../src/index.js';
import type { FactsView } from '../models/facts_view.js';
import type { SpeedPromise } from '../models/speed_promise.js';
import { duration } from '../shell/format.js';
import { isAbort, type Work } from '../shell/work.js';
import { strings } from '../strings.js';
import { hearSpeech } from './hear_speech.js';
import type { ListeningOptions } from './listening_options.js';
import { newId, TranscriptDocument } from './transcript_document.js';

interface Parts {
  readonly work: Work;
  readonly facts: FactsView;
  readonly speed: SpeedPromise;
  readonly listening: ListeningOptions;
  /** Shows a document that has begun, and keeps it. */
  readonly onBegin: (document: TranscriptDocument) => void;
}

export const doneText = ({ audio, work }: { readonly audio: number; readonly work: number }) =>
  strings.status.done(duration(audio), duration(work));

export class Hearing {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async hear(model: Model, file: File, knowsDigitsAlone: boolean): Promise<void> {
    const { work, facts, speed, listening, onBegin } = this.#parts;
    const signal = work.begin();
    work.show(strings.status.listening(file.name));
    const document = TranscriptDocument.begin({
      id: newId(),
      name: file.name,
      created: Date.now(),
      task: listening.task,
      knowsDigitsAlone,
    });
    document.recording = file;
    onBegin(document);
    try {
      const took = await hearSpeech(model, file, signal, document, {
        listening,
        status: work.status,
      });
      facts.speed(took.work, took.audio);
      speed.measured(took.work, took.audio);
      facts.memory(await model.memory());
      work.status.idle(doneText(took));
    } catch (error) {
      if (!work.isCurrent(signal)) return;
      if (!isAbort(error)) work.errors.show(strings.transcript.notHeard(file.name), error);
      work.status.idle(isAbort(error) ? strings.status.stopped : strings.status.readyAgain);
    }
  }
}
