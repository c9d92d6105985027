// Recordings and audio streams.

/** Samples: floats with full scale 1, or 16-bit integers. */
export type SampleArray = Float32Array | Int16Array;

/** PCM samples of any rate: interleaved in one array, or one array for each channel. */
export interface PcmAudio {
  /** Interleaved frames (`channels` samples each), or one array per channel. */
  readonly samples: SampleArray | readonly SampleArray[];
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
  /** Samples of one channel, from −1 to 1. */
  getChannelData(channel: number): Float32Array;
}

/** The members of an `<audio>` or `<video>` element that are used. */
export interface MediaElementLike {
  readonly currentSrc: string;
  readonly src: string;
  readonly srcObject: unknown;
}

/** The members of a MediaStream that are used. */
export interface MediaStreamLike {
  /** Its audio tracks; one that has none is rejected. */
  getAudioTracks(): readonly unknown[];
}

/** The members of a MediaStreamTrack that are used. */
export interface MediaStreamTrackLike {
  /** `'audio'`; video tracks are rejected. */
  readonly kind: string;
  /** `'live'` until it has ended. */
  readonly readyState: string;
  /** False while the track is muted by the page. */
  readonly enabled: boolean;
}

/**
 * A recording: 16 kHz mono samples, PCM of another rate, an AudioBuffer, an audio or video file (as bytes, Blob, URL, Response or
 * stream of its bytes; in Node a path too), the media element that plays one, or the stream of its samples.
 */
export type AudioInput =
  | SampleArray
  | PcmAudio
  | AudioBufferLike
  | Blob
  | ArrayBuffer
  | Uint8Array
  | string
  | URL
  | Response
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | MediaElementLike
  | RecordingStream;

/** A stream of samples that are not 16 kHz mono: interleaved, in pieces of any length. */
export interface SampleStream {
  readonly stream: AsyncIterable<SampleArray> | ReadableStream<SampleArray>;
  /** Samples per second and channel. */
  readonly sampleRate: number;
  /** 1 if absent. */
  readonly channels?: number;
}

/**
 * A recording that its caller decodes: it is read bit by bit, as the models need it, and so in memory never as a whole where a file would
 * not be. All calls treat it like a file, and have the text of one; a stream without `isRecording` is live audio. It is read once: a call
 * that continues a saved transcription gets another stream, from the recording's start.
 *
 *     const audio = { stream: decode(file), sampleRate: 44100, channels: 2, isRecording: true } as const;
 *     const { text } = await model.transcribe(audio);
 */
export interface RecordingStream extends SampleStream {
  readonly isRecording: true;
  /** About how many seconds there are, for the fractions of `onProgress`. It may be wrong. */
  readonly duration?: number;
}

/**
 * Live audio: a stream of 16 kHz mono samples in pieces of any length, one of another rate, or in a page a MediaStream (a microphone, a
 * call) or an audio track of one, until its tracks end. transcribe() holds one window of it in memory at a time.
 */
export type AudioStream =
  | AsyncIterable<SampleArray>
  | ReadableStream<SampleArray>
  | SampleStream
  | MediaStreamLike
  | MediaStreamTrackLike;
