// Tells the speakers of a recording apart while a model transcribes it. The code for that is loaded on demand.
import type { FoundSpeakers, SpeakerOptions, Transcript } from '../api/types.js';
import type { Platform } from './platform.js';

/** A recording in which the speakers are looked for. */
export interface SpeakerSearch {
  /** Takes 16 kHz mono samples in order, which stay the caller's; resolves when the next ones may come. */
  push(samples: Float32Array): Promise<void>;
  /** The recording is over. */
  finish(): Promise<FoundSpeakers>;
  /** Ends the search, not the networks. Calls after the first one do nothing. */
  close(): void;
}

/** The networks of any number of searches at a time. They start with the first one, and anew when they were lost. */
export interface KeptSpeakerFinding {
  /** Rejects where the networks cannot be had. */
  open(options: SpeakerOptions, signal: AbortSignal | undefined): Promise<SpeakerSearch>;
  /** Ends them for good; what is under way fails. */
  close(): void;
}

/** That code. Its functions throw SusurrusError. */
export interface SpeakerFinding {
  readonly keepSpeakerFinding: (platform: Platform) => KeptSpeakerFinding;
  readonly assignSpeakers: (transcript: Transcript, found: FoundSpeakers) => Transcript;
}
