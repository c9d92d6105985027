// From a recording to its transcript on the page.
import type { Model } from '../../src/index.js';
import type { SpeakerOptions } from '../../src/speakers.js';
import type { Pausing } from '../files/pausing.js';
import type { Place } from '../files/recording_queue.js';
import type { FactsView } from '../models/facts_view.js';
import type { SpeakersFile } from '../models/speakers_file.js';
import type { SpeedPromise } from '../models/speed_promise.js';
import { duration } from '../shell/format.js';
import { strings } from '../strings.js';
import { CannotGoOn, goOn, hearSpeech, type Took } from './hear_speech.js';
import type { ListeningOptions } from './listening_options.js';
import { knowsEnglishAlone } from './perhaps_foreign.js';
import { newId, TranscriptDocument } from './transcript_document.js';

interface Parts {
  readonly facts: FactsView;
  readonly speed: SpeedPromise;
  readonly listening: ListeningOptions;
  readonly speakersFile: SpeakersFile;
  /** The speakers cannot be told apart; the text comes all the same. */
  readonly onSpeakersFailed: (error: unknown) => void;
}

export const doneText = ({ audio, work }: { readonly audio: number; readonly work: number }) =>
  strings.status.done(duration(audio), duration(work));

/** One recording's turn. */
export interface Turn {
  readonly knowsDigitsAlone: boolean;
  /** The name of the model. */
  readonly modelName: string;
  /** What it goes on with. */
  readonly earlier: TranscriptDocument | undefined;
  readonly signal: AbortSignal;
  /** The transcript has begun. */
  readonly onText: (document: TranscriptDocument) => void;
  readonly onPart: (part: number, remainingSeconds?: number, place?: Place) => void;
  /** Is told what to hold up. */
  readonly pausing: Pausing;
  /** What goes on while it is not listened to yet; undefined from then on. */
  readonly onDoing: (doing: string | undefined) => void;
}

export class Transcriber {
  readonly #parts: Parts;
  readonly #pace = new Pace();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the sentence for the end. */
  async transcribe(model: Model, file: File, turn: Turn): Promise<string> {
    const { signal, onPart, pausing, modelName, earlier, onDoing } = turn;
    const { facts, speed, listening, onSpeakersFailed } = this.#parts;
    const isOther = earlier?.unfinished?.model !== modelName;
    if (earlier?.unfinished && !isOther) {
      try {
        turn.onText(earlier);
        const resumed = await goOn(model, file, signal, earlier, { modelName, onPart, pausing });
        return doneText(resumed);
      } catch (error) {
        if (!(error instanceof CannotGoOn)) throw error;
      }
    }
    if (earlier)
      onDoing((isOther ? strings.transcript.otherModel : strings.transcript.otherSave)(file.name));
    const document = this.#begin(model, file, turn);
    const speakers = await this.#speakers(turn).catch((error: unknown) => {
      document.interrupt(strings.transcript.stopped);
      throw error;
    });
    const took = await this.#pace.measured(pausing, () =>
      hearSpeech(model, file, signal, document, {
        listening,
        speakers,
        onSpeakersFailed,
        onPart,
        pausing,
        modelName,
      }),
    );
    const { audio, work } = this.#pace;
    if (work !== undefined) {
      facts.speed(work, audio);
      speed.measured(work, audio);
    }
    facts.memory(await model.memory());
    return doneText(took);
  }

  #begin(
    { info }: Model,
    file: File,
    { knowsDigitsAlone, modelName, onText }: Turn,
  ): TranscriptDocument {
    const isEnglish = knowsEnglishAlone(info) && !knowsDigitsAlone;
    const document = TranscriptDocument.begin({
      id: newId(),
      name: file.name,
      created: Date.now(),
      task: this.#parts.listening.task,
      knowsDigitsAlone,
      ...(isEnglish && { englishModel: modelName }),
    });
    document.recording = file;
    onText(document);
    return document;
  }

  /** What tells the speakers apart, if that is asked for and there. Rejects if it is stopped. */
  async #speakers(turn: Turn): Promise<SpeakerOptions | undefined> {
    const { signal, onDoing, onPart } = turn;
    const { listening, speakersFile, onSpeakersFailed } = this.#parts;
    const { speakers } = listening;
    if (!speakers) return undefined;
    try {
      if (!speakersFile.blob) onDoing(strings.speakers.fetching);
      return { ...speakers, model: await speakersFile.fetch(signal, onPart) };
    } catch (error) {
      signal.throwIfAborted();
      onSpeakersFailed(error);
      return undefined;
    } finally {
      onPart(0);
      if (!turn.earlier) onDoing(undefined);
    }
  }
}

/** Seconds of sound and of work, of recordings that are transcribed beside each other together. */
class Pace {
  #audio = 0;
  #underWay = 0;
  #began = 0;
  /** One of them ended early, with work that came to nothing, or was paused. */
  #isSpoilt = false;

  get audio(): number {
    return this.#audio;
  }

  /** Undefined where it cannot be said. */
  get work(): number | undefined {
    return this.#isSpoilt ? undefined : (performance.now() - this.#began) / 1000;
  }

  async measured(pausing: Pausing, hear: () => Promise<Took>): Promise<Took> {
    if (this.#underWay === 0) {
      this.#audio = 0;
      this.#began = performance.now();
      this.#isSpoilt = false;
    }
    this.#underWay += 1;
    try {
      const took = await hear();
      this.#audio += took.audio;
      // Others may have gone on meanwhile.
      if (pausing.seconds > 0) this.#isSpoilt = true;
      return took;
    } catch (error) {
      this.#isSpoilt = true;
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }
}
