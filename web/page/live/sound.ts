// What listen() and its sources say to each other.
import type { Assets, SampleArray } from '../../src/api/types.js';
import type { ListenReason } from './types.js';

/** Why a source gives no sound at the moment; undefined: it does. */
export type Suspension = Extract<ListenReason, 'needs-click' | 'interrupted' | 'muted' | 'paused'>;

/** Why a source gives no more sound. */
export type SoundEnd = Extract<ListenReason, 'source-ended' | 'device-lost'>;

/** Receives the samples of a source. */
export interface AudioSink {
  /** Takes mono samples; resolves when the model has processed them. */
  hear(samples: SampleArray): Promise<void>;
  /** What was said so far is complete: what comes next does not follow on it. */
  interrupt(): void;
  suspend(suspension: Suspension | undefined): void;
  /** Opens another device. */
  restart(): void;
  /** From now on samples have another rate, in Hz, than open() said. All earlier samples have gone to hear(). */
  changeRate(sampleRate: number): void;
  fail(error: unknown): void;
}

/** A source that was asked to begin; one for each listen(). */
export interface Sound {
  /** Sample rate in Hz, as far as it is known before open(). */
  readonly sampleRate: number;
  /** True if the source does not wait for the model, and so may get ahead of it. */
  readonly isPushed: boolean;
  /** Asks and connects; from then on the samples go to `sink`. Resolves to their rate. */
  open(sink: AudioSink): Promise<number>;
  /** Resolves when there is no more to come, and all of it went to the sink. */
  readonly ended: Promise<SoundEnd>;
  resume(): Promise<void>;
  /** Gives what is under way to the sink, and lets the source go. Also before open() is through, and several times. */
  close(): Promise<void>;
}

/** What makes sounds. Throws SusurrusError for what is missing here, before anything is asked for. */
export interface SoundMaker {
  begin(assets: Assets | undefined): Sound;
}
