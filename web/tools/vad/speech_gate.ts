// Finds speech in live audio: where utterances begin and end, and how much silence is between them.
import { joined } from '../../src/api/joined.js';
import type { LivePart, SpeechGate } from '../../src/platform/speech.js';
import { FrameReader, type DetectorUse } from './speech_network.js';
import { SpeechRules, type SpeechLimits } from './speech_rules.js';

export class DetectorGate implements SpeechGate {
  readonly #use: DetectorUse;
  readonly #limits: SpeechLimits;
  readonly #signal: AbortSignal | undefined;
  #frames: FrameReader;
  #rules: SpeechRules;
  /** Samples that may still be wanted, from `#heldFrom` on. */
  #held: Float32Array[] = [];
  #heldFrom = 0;
  #count = 0;
  /** All before is given out or left out. */
  #done = 0;
  #isSpeaking = false;

  constructor(use: DetectorUse, limits: SpeechLimits, signal: AbortSignal | undefined) {
    this.#use = use;
    this.#limits = limits;
    this.#signal = signal;
    this.#frames = use.frames;
    this.#rules = new SpeechRules(limits);
  }

  async push(samples: Float32Array): Promise<readonly LivePart[]> {
    this.#held.push(samples);
    this.#count += samples.length;
    const parts: LivePart[] = [];
    for await (const probabilities of this.#frames.push(samples)) {
      for (const probability of probabilities) {
        this.#rules.push(probability);
        parts.push(...this.#settled());
      }
      parts.push(...this.#underWay());
    }
    return parts;
  }

  async finish(): Promise<readonly LivePart[]> {
    const parts: LivePart[] = [];
    for (const probability of await this.#frames.finish()) this.#rules.push(probability);
    this.#rules.finish(this.#count);
    parts.push(...this.#settled(), ...this.#leaveOut(this.#count));
    this.#frames.close();
    this.#begin();
    return parts;
  }

  close(): void {
    this.#frames.close();
    this.#use.release();
  }

  /** The next samples are a new recording. */
  #begin(): void {
    this.#frames = new FrameReader(this.#use.network, this.#signal);
    this.#rules = new SpeechRules(this.#limits);
    this.#held = [];
    this.#heldFrom = this.#count = this.#done = 0;
    this.#isSpeaking = false;
  }

  /** Utterances that are over. */
  *#settled(): Generator<LivePart> {
    for (const { start, end } of this.#rules.take()) {
      yield* this.#give(start, end);
      yield { type: 'end' };
      this.#isSpeaking = false;
    }
  }

  *#underWay(): Generator<LivePart> {
    const { underWay, earliest } = this.#rules;
    if (underWay) yield* this.#give(underWay.start, underWay.end);
    else if (!this.#isSpeaking) yield* this.#leaveOut(earliest);
  }

  *#give(start: number, end: number): Generator<LivePart> {
    if (!this.#isSpeaking) yield* this.#leaveOut(start);
    this.#isSpeaking = true;
    const from = Math.max(start, this.#done);
    const to = Math.min(end, this.#count);
    if (to <= from) return;
    yield { type: 'speech', samples: this.#samples(from, to) };
    this.#drop(to);
  }

  *#leaveOut(before: number): Generator<LivePart> {
    const count = Math.trunc(before) - this.#done;
    if (count <= 0) return;
    yield { type: 'silence', sampleCount: count };
    this.#drop(this.#done + count);
  }

  #samples(start: number, end: number): Float32Array {
    let at = this.#heldFrom;
    const parts: Float32Array[] = [];
    for (const samples of this.#held) {
      const part = samples.subarray(Math.max(0, start - at), Math.max(0, end - at));
      if (part.length > 0) parts.push(part);
      at += samples.length;
    }
    return joined(parts, Float32Array);
  }

  #drop(before: number): void {
    this.#done = before;
    for (;;) {
      const [first] = this.#held;
      if (!first || this.#heldFrom + first.length > before) return;
      this.#heldFrom += first.length;
      this.#held.shift();
    }
  }
}
