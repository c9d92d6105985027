// Starts and ends of speech in the order of the recording.
import type { SpeechEvent } from '../../src/api/types.js';
import { sampleRate } from '../../src/api/generated/whisper.js';
import type { SpeechRules } from './speech_rules.js';

export class SpeechEvents {
  readonly #rules: SpeechRules;
  /** Speech whose start has been emitted and whose end has not. */
  #started: number | undefined;

  constructor(rules: SpeechRules) {
    this.#rules = rules;
  }

  /** What has become certain since the last call. */
  take(): SpeechEvent[] {
    const events: SpeechEvent[] = [];
    const start = (sample: number): void => {
      if (this.#started === sample) return;
      this.#started = sample;
      events.push({ type: 'start', time: sample / sampleRate });
    };
    for (const range of this.#rules.take()) {
      start(range.start);
      events.push({ type: 'end', time: range.end / sampleRate });
      this.#started = undefined;
    }
    const { underWay } = this.#rules;
    if (underWay && this.#started === undefined) start(underWay.start);
    return events;
  }
}
