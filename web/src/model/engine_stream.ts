// A stream's resources in the engine, the voice detector and the converter. They have no reference to the stream, so that they can be freed
// when the stream is garbage-collected.
import { wrongState } from '../api/errors.js';
import { sampleRate as engineRate } from '../api/generated/whisper.js';
import { checkSamples } from '../api/sample_check.js';
import { throwIfAborted } from '../api/signals.js';
import type { LiveEvent } from '../api/types.js';
import type { EngineEvent, EngineLink, LiveSettings } from '../protocol/engine.js';
import type { CallOptions } from '../protocol/link.js';
import type { ConvertText } from '../platform/platform.js';
import type { LivePart, SpeechGate } from '../platform/speech.js';
import type { Revision, SecondHearing } from './second_hearing.js';
import type { SpeakersNews, SpeakersReceiver, StreamSpeakers } from './live_speakers.js';
import { YieldController } from '../wasm/yield_controller.js';
import { LiveScript } from './chinese_script.js';

/** What a stream runs on. */
export interface LiveSurroundings {
  readonly engine: EngineLink;
  readonly settings: LiveSettings;
  /** Resolves when the engine is awake and has its model. */
  readonly ready: Promise<void>;
  /** Opens the gate that passes only speech; absent, or resolving to undefined, if all audio is processed. Closed with the stream. */
  readonly openGate?: ((signal: AbortSignal) => Promise<SpeechGate | undefined>) | undefined;
  /** Loads what writes Chinese in one script; absent if it stays as the model writes it. */
  readonly loadScript?: ((signal: AbortSignal) => Promise<ConvertText>) | undefined;
  /** Opens a second hearing of the stream from its beginning; absent if it is heard once. `tell` must not keep the stream alive. */
  readonly hearAgain?:
    ((tell: (revisions: readonly Revision[]) => void) => SecondHearing) | undefined;
  /** Begins to tell the stream's speakers apart; absent if they are not. `to` must not keep the stream alive. */
  readonly hearSpeakers?: ((to: LaterReceiver) => StreamSpeakers) | undefined;
  /**
   * Runs work when it is its turn on the model. Work that still waits when the signal is aborted never runs. `heldUp` is called when it
   * waits for a paused transcription; it never throws.
   */
  readonly turn: <T>(work: () => Promise<T>, signal: AbortSignal, heldUp: () => void) => Promise<T>;
  /** Called once, when the engine is not needed any more. */
  readonly ended: () => void;
}

/** Receives events as soon as they exist, and `'held-up'` when a paused transcription holds the stream up. */
export type Tell = (news: readonly LiveEvent[] | 'held-up') => void;

/** What is told of final texts later: what the second hearing changes, and whose they are. */
export type LaterNews = Revision | SpeakersNews;

/** Receives it, or why the stream fails meanwhile. It must not keep the stream alive. */
export interface LaterReceiver extends Pick<SpeakersReceiver, 'fail'> {
  readonly tell: (news: readonly LaterNews[]) => void;
}

/** Callers make one call at a time, except leave(). */
export class EngineStream {
  readonly #surroundings: LiveSurroundings;
  readonly #rate: number;
  readonly #later: LaterReceiver;
  readonly #leaving = new AbortController();
  #gate: SpeechGate | undefined;
  #script: LiveScript | undefined;
  #second: SecondHearing | undefined;
  #speakers: StreamSpeakers | undefined;
  /** The engine's ids of the stream and of the conversion to the engine's rate. */
  #id: number | undefined;
  #conversion: number | undefined;
  #ending: Promise<void> | undefined;

  /** `rate`: of the samples. */
  constructor(surroundings: LiveSurroundings, rate: number, later: LaterReceiver) {
    this.#surroundings = surroundings;
    this.#rate = rate;
    this.#later = later;
  }

  async begin(): Promise<void> {
    throwIfAborted(this.#leaving.signal);
    const { settings, loadScript, hearAgain, hearSpeakers } = this.#surroundings;
    this.#speakers = hearSpeakers?.(this.#later);
    this.#gate ??= await this.#openGate();
    const script = loadScript && new LiveScript(await loadScript(this.#leaving.signal));
    this.#script = script;
    this.#id = await this.#engine.call('beginLive', { settings });
    await this.#beginConversion();
    const [{ tell }, speakers] = [this.#later, this.#speakers];
    this.#second = hearAgain?.((heard) => {
      const revisions = script ? heard.map((each) => script.revision(each)) : heard;
      tell(revisions);
      for (const each of revisions) speakers?.revised(each);
    });
  }

  async #openGate(): Promise<SpeechGate | undefined> {
    const { signal } = this.#leaving;
    const gate = await this.#surroundings.openGate?.(signal);
    if (signal.aborted) gate?.close();
    throwIfAborted(signal);
    return gate;
  }

  /** Rejects anything but samples; `before`: samples of the stream that came before these. */
  async check(samples: Float32Array, before: number): Promise<void> {
    const place = { sampleRate: this.#rate, channels: 1, before };
    await checkSamples(samples, new YieldController(this.#leaving.signal), place);
  }

  /** Samples that were checked. */
  async hear(samples: Float32Array, tell: Tell): Promise<void> {
    const id = this.#conversion;
    if (id === undefined) return this.#give(samples, tell);
    const { ready } = await this.#engine.call('convertPiece', { id, piece: samples });
    if (ready === 0) return;
    await this.#give(await this.#engine.call('takeConverted', { id }), tell);
  }

  /** Skips `count` samples. */
  leaveOut(count: number, tell: Tell): Promise<void> {
    const skipped = Math.round((count * engineRate) / this.#rate);
    this.#second?.skip(skipped);
    this.#speakers?.skip(skipped);
    return this.#leaveOut(skipped, tell);
  }

  /** Hears a second time what was not yet, before what else waits for the model, and all voices. */
  async hearRest(tell: Tell): Promise<void> {
    const second = this.#second;
    const { signal } = this.#leaving;
    if (second) {
      await this.#surroundings.turn(
        () => second.finish(),
        signal,
        () => tell('held-up'),
      );
    }
    await this.#speakers?.finish();
  }

  /** Emits all pending events. More audio may follow. */
  async interrupt(tell: Tell): Promise<void> {
    const id = this.#conversion;
    if (id !== undefined) {
      this.#conversion = undefined;
      const rest = await this.#engine.call('endConversion', { id });
      await this.#beginConversion();
      await this.#give(rest, tell);
    }
    if (this.#gate) await this.#hearParts(await this.#gate.finish(), tell);
    else await this.#flush(tell);
  }

  /** Clears the state of the stream. */
  async beginAnew(): Promise<void> {
    this.#speakers?.close();
    await Promise.all([...this.#endEngine(), this.#second?.close()]);
    await this.#gate?.finish();
    await this.begin();
  }

  /** Stops work under way. end() must follow. */
  leave(): void {
    this.#leaving.abort();
    this.#gate?.close();
    this.#speakers?.close();
    void this.#second?.close();
  }

  /** Frees the resources, once no call is under way. Never fails: a closed engine has freed them already. */
  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    this.leave();
    await Promise.allSettled([...this.#endEngine(), this.#second?.close()]);
    this.#surroundings.ended();
  }

  #endEngine(): Promise<unknown>[] {
    const [id, conversion] = [this.#id, this.#conversion];
    this.#id = undefined;
    this.#conversion = undefined;
    const ends: Promise<unknown>[] = [];
    if (conversion !== undefined) {
      ends.push(this.#engine.call('dropConversion', { id: conversion }));
    }
    if (id !== undefined) ends.push(this.#engine.call('endLive', { id }));
    return ends;
  }

  get #engine(): EngineLink {
    return this.#surroundings.engine;
  }

  async #beginConversion(): Promise<void> {
    if (this.#rate === engineRate) return;
    this.#conversion = await this.#engine.call('beginConversion', {
      kind: 'samples',
      sampleRate: this.#rate,
      channels: 1,
    });
  }

  /** 16 kHz mono. */
  async #give(samples: Float32Array, tell: Tell): Promise<void> {
    this.#second?.hear(samples);
    this.#speakers?.hear(samples);
    if (!this.#gate) return this.#feed(samples, tell);
    await this.#hearParts(await this.#gate.push(samples), tell);
  }

  async #hearParts(parts: readonly LivePart[], tell: Tell): Promise<void> {
    for (const part of parts) {
      if (part.type === 'speech') await this.#feed(part.samples, tell);
      else if (part.type === 'silence') {
        this.#second?.silence(part.sampleCount);
        await this.#leaveOut(part.sampleCount, tell);
      } else await this.#flush(tell);
    }
  }

  async #feed(samples: Float32Array, tell: Tell): Promise<void> {
    this.#second?.speech(samples.length);
    await this.#inTurn(
      (id, options) => this.#engine.call('feedLive', { id, samples }, options),
      tell,
    );
  }

  async #flush(tell: Tell): Promise<void> {
    await this.#inTurn((id, options) => this.#engine.call('flushLive', { id }, options), tell);
  }

  async #leaveOut(sampleCount: number, tell: Tell): Promise<void> {
    this.#tellOf(await this.#engine.call('skipLive', { id: this.#running, sampleCount }), tell);
  }

  #tellOf(events: readonly LiveEvent[], tell: Tell): void {
    const written = this.#script?.convert(events) ?? events;
    tell(written);
    for (const event of written) if (event.type === 'final') this.#speakers?.said(event);
  }

  async #inTurn(
    work: (id: number, options: CallOptions<EngineEvent>) => Promise<readonly LiveEvent[]>,
    tell: Tell,
  ): Promise<void> {
    const { signal } = this.#leaving;
    const events = await this.#surroundings.turn(
      () => work(this.#running, { signal }),
      signal,
      () => tell('held-up'),
    );
    this.#tellOf(events, tell);
    for (const event of events) if (event.type === 'final') this.#second?.said(event);
  }

  get #running(): number {
    if (this.#id === undefined) throw wrongState('This stream is closed.', 'stream');
    return this.#id;
  }
}
