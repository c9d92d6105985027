// Recordings.

/** PCM samples of any rate: interleaved in one array, or one array for each channel. */
export interface PcmAudio {
  /** Interleaved frames (`channels` samples each), or one array per channel. */
  readonly samples: Float32Array | readonly Float32Array[];
  /** Samples per second and channel. */
  readonly sampleRate: number;
  /** 1 if absent; with one array per channel it must be their number. */
  readonly channels?: number;
}

/** The members of an AudioBuffer that are used. */
export interface AudioBufferLike {
  readonly sampleRate: number;
  readonly numberOfChannels: number;
  readonly length: number;
  getChannelData(channel: number): Float32Array;
}

/** A recording: 16 kHz mono samples, PCM of another rate, an AudioBuffer, or the bytes of an audio file. */
export type AudioInput =
  Float32Array | PcmAudio | AudioBufferLike | Blob | ArrayBuffer | Uint8Array;

/** A stream of 16 kHz mono samples, in pieces of any length. transcribe() keeps one window of them at a time. */
export type AudioStream = AsyncIterable<Float32Array> | ReadableStream<Float32Array>;
