// From a recording to its transcript on the page.
import type { Model } from '../../src/index.js';
import type { FactsView } from '../models/facts_view.js';
import type { Player } from '../player/player.js';
import { byId } from '../shell/dom.js';
import { duration } from '../shell/format.js';
import { isAbort, type Work } from '../shell/work.js';
import { strings } from '../strings.js';
import { ExportBar } from './export_bar.js';
import { hearSpeech } from './hear_speech.js';
import type { ListeningOptions } from './listening_options.js';
import type { TranscriptView } from './transcript_view.js';

interface Parts {
  readonly work: Work;
  readonly facts: FactsView;
  readonly listening: ListeningOptions;
  readonly transcript: TranscriptView;
  readonly player: Player;
}

export const doneText = ({ audio, work }: { readonly audio: number; readonly work: number }) =>
  strings.status.done(duration(audio), duration(work));

export class Hearing {
  readonly #parts: Parts;
  readonly #exports = new ExportBar();
  /** What was transcribed last. */
  #heard: File | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The recording that can be transcribed once more. */
  get heard(): File | undefined {
    return this.#heard;
  }

  async hear(model: Model, file: File, knowsDigitsAlone: boolean): Promise<void> {
    const { work, facts, player, transcript, listening } = this.#parts;
    const signal = work.begin();
    work.show(strings.status.listening(file.name));
    if (file !== this.#heard) player.load(file);
    this.#heard = file;
    byId('ten_words', HTMLElement).hidden = !knowsDigitsAlone;
    try {
      const took = await hearSpeech(model, file, signal, {
        listening,
        status: work.status,
        transcript,
        exports: this.#exports,
      });
      if (!took) return;
      facts.speed(took.work, took.audio);
      facts.memory(await model.memory());
      work.status.idle(doneText(took));
    } catch (error) {
      if (!work.isCurrent(signal)) return;
      transcript.breakOff(isAbort(error) ? strings.transcript.stopped : strings.transcript.failed);
      if (!isAbort(error)) work.errors.show(strings.transcript.notHeard(file.name), error);
      work.status.idle(isAbort(error) ? strings.status.stopped : strings.status.readyAgain);
    }
  }
}
