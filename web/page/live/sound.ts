// The interface between listen() and its sources.
import type { Assets, SampleArray } from '../../src/api/types.js';
import type { ListenReason } from './types.js';

/** Why a source delivers no audio at the moment. */
export type Suspension = Extract<ListenReason, 'needs-click' | 'interrupted' | 'muted' | 'paused'>;

/** Why a source has ended. */
export type SoundEnd = Extract<ListenReason, 'source-ended' | 'device-lost'>;

/** Receives the samples of a source. */
export interface AudioSink {
  /** Takes mono samples; resolves when the model has processed them. */
  hear(samples: SampleArray): Promise<void>;
  /** The utterance so far is complete: the next samples do not continue it. */
  interrupt(): void;
  suspend(suspension: Suspension | undefined): void;
  /** Opens another device. */
  restart(): void;
  /** From now on samples have another rate, in Hz, than open() returned. All earlier samples have been passed to hear(). */
  changeRate(sampleRate: number): void;
  fail(error: unknown): void;
}

/** A source that listen() has opened; each call opens its own. */
export interface Sound {
  /** Sample rate in Hz, as far as it is known before open(). */
  readonly sampleRate: number;
  /** True if the source does not wait for the model, and so may get ahead of it. */
  readonly isPushed: boolean;
  /** Asks for permission and connects; from then on the samples go to `sink`. Resolves to their rate. */
  open(sink: AudioSink): Promise<number>;
  /** Resolves when the source has ended and all of its samples have gone to the sink. */
  readonly ended: Promise<SoundEnd>;
  resume(): Promise<void>;
  /** Passes pending samples to the sink and releases the source. May be called before open() resolves, and repeatedly. */
  close(): Promise<void>;
}

/** Opens a source. Throws SusurrusError if the browser lacks a feature, before the user is asked for permission. */
export interface SoundMaker {
  begin(assets: Assets | undefined): Sound;
}
