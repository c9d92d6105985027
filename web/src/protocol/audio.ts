// Requests to the module that decodes audio files, in a worker or in this thread: plain data both ways.
import type { Link } from './link.js';

/** The bytes of a file, read in parts: a Blob, or in Node a file at a path. */
export interface EncodedFile {
  readonly size: number;
  slice(begin: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** Facts about an audio file from its container. */
export interface AudioFileFacts {
  /** 'MP4', 'WebM', … */
  readonly format: string;
  /** 'aac', 'opus', …; undefined where the container's is not known. */
  readonly codec?: string | undefined;
  /** Seconds; only a hint, since the file may be wrong. */
  readonly duration?: number | undefined;
  readonly sampleRate?: number | undefined;
  readonly channels?: number | undefined;
}

/** A file that is not decoded here: what is known of it, nothing where even its container is unknown. */
export interface Undecoded {
  readonly isDecoded: false;
  readonly facts: AudioFileFacts | undefined;
}

export interface DecodedFile {
  readonly isDecoded: true;
  readonly facts: AudioFileFacts;
}

/** The next samples, interleaved; none at the end. Rate and channels may change from piece to piece. */
export interface DecodedPiece {
  readonly samples: Float32Array;
  readonly sampleRate: number;
  readonly channels: number;
}

export interface AudioCalls {
  /** Once. */
  open: { request: { readonly file: EncodedFile }; answer: DecodedFile | Undecoded };
  /** `spent`: memory of an earlier piece, to be used again; an hour has a thousand pieces. */
  read: { request: { readonly spent: Float32Array | undefined }; answer: DecodedPiece };
}

export type AudioLink = Link<AudioCalls>;
