// Tells the speakers of a recording apart while a model transcribes it. The code for that is loaded on demand.
import type { FoundSpeakers, Segment, SpeakerOptions } from '../api/types.js';
import type { Platform } from './platform.js';

/** A recording in which the speakers are looked for. */
export interface SpeakerSearch {
  /** Takes 16 kHz mono samples in order, which stay the caller's; resolves when the next ones may come. */
  push(samples: Float32Array): Promise<void>;
  /** Those of what was heard so far. Who was found before keeps his `id`, here and in finish(). */
  settle(): Promise<FoundSpeakers>;
  /** The recording is over. */
  finish(): Promise<FoundSpeakers>;
  /** Ends the search, not the networks. Calls after the first one do nothing. */
  close(): void;
}

/** The networks of any number of searches at a time. They start with the first one, and anew when they were lost. */
export interface KeptSpeakerFinding {
  /** Rejects where the networks cannot be had. Live sound is heard in smaller parts, sooner. */
  open(
    options: SpeakerOptions,
    signal: AbortSignal | undefined,
    isLive: boolean,
  ): Promise<SpeakerSearch>;
  /** Ends them for good; what is under way fails. */
  close(): void;
}

/** A transcript, or texts of a stream. What segments have besides, their parts have too. */
interface HeardTexts {
  readonly segments: readonly Pick<Segment, 'start' | 'end' | 'text' | 'words'>[];
}

/** That code. Its functions throw SusurrusError. */
export interface SpeakerFinding {
  readonly keepSpeakerFinding: (platform: Platform) => KeptSpeakerFinding;
  readonly assignSpeakers: <Heard extends HeardTexts>(
    heard: Heard,
    found: FoundSpeakers,
  ) => Omit<Heard, 'segments'> & { readonly segments: readonly Heard['segments'][number][] };
}
