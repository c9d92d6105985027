// The public types of susurrus/live.
import type {
  Assets,
  LiveEvent,
  AnyLiveOptions,
  LiveTranscription,
  SampleArray,
  SampleStream,
} from '../../src/api/types.js';

/** What listen() needs of what a model streams. */
export type LiveStream = Pick<LiveTranscription, 'feed' | 'flush' | 'close' | 'lag'> &
  AsyncIterable<LiveEvent>;

/** What listen() needs of a model. */
export interface StreamingModel {
  /** As Model.stream(). */
  stream(options?: AnyLiveOptions): LiveStream;
}

/** A source that listen() opens itself, each time anew: microphone() and tabAudio() return them. */
export interface LiveSource {
  readonly kind: 'microphone' | 'tab-audio';
}

/**
 * Where audio comes from. A `MediaStream`, or an audio track of one, is transcribed until its tracks end, and is not stopped; a media
 * element is transcribed while it plays. Samples of an iterable or a stream are mono at 16 kHz, unless they are given with another rate,
 * and are read as fast as the model processes them.
 */
export type ListenSource =
  | LiveSource
  | MediaStream
  | MediaStreamTrack
  | HTMLMediaElement
  | SampleStream
  | AsyncIterable<SampleArray>
  | ReadableStream<SampleArray>;

/** Options of microphone(). */
export interface MicrophoneOptions {
  /** An id from enumerateDevices(). Default: the system's choice. */
  readonly deviceId?: string;
  /** Removes the loudspeakers' sound. Default true. */
  readonly echoCancellation?: boolean;
  /** Default false: models are trained with noise, and speech that the browser has filtered is harder to recognise. */
  readonly noiseSuppression?: boolean;
  /** Amplifies quiet voices. Default true. */
  readonly autoGainControl?: boolean;
  /** When the microphone is unplugged, switches to the system's next choice. Default false: listening ends. */
  readonly followDevice?: boolean;
}

/**
 * `'starting'`: asking for permission, opening the device. `'suspended'`: no audio arrives for now, for the given `reason`. `'ended'`:
 * there are no new events; unread ones can still be read.
 */
export type ListenState = 'starting' | 'listening' | 'suspended' | 'ended';

/**
 * Reason for a state. `'listening'` has `'nothing-heard'` if all samples are zero: a muted microphone, or the wrong one. `'suspended'` has
 * `'needs-click'` (browsers start audio only after a click or a key press anywhere in the page), `'interrupted'` (by the system, for a call
 * for example, or because no sound device starts), `'muted'` (by the system or a switch) or `'paused'` (a media element). `'ended'` has
 * `'closed'` (by close(), or by leaving the loop over the events), `'source-ended'`, `'device-lost'`, `'aborted'` or `'failed'`.
 */
export type ListenReason =
  | 'nothing-heard'
  | 'needs-click'
  | 'interrupted'
  | 'muted'
  | 'paused'
  | 'closed'
  | 'source-ended'
  | 'device-lost'
  | 'aborted'
  | 'failed';

/** State of listening. */
export interface ListenStatus {
  readonly state: ListenState;
  readonly reason?: ListenReason;
  /** The error, for the reasons `'aborted'` and `'failed'`. */
  readonly error?: unknown;
}

/** Options of listen(): those of model.stream() except `sampleRate`, which the source has, and these. */
export interface ListenOptions extends Omit<AnyLiveOptions, 'sampleRate'> {
  /** Called at each change. If it throws, listening fails with that error. */
  readonly onState?: (status: ListenStatus) => void;
  /** Called about twenty times a second with the level of the latest audio, 0 to 1. */
  readonly onLevel?: (level: number) => void;
  /** Seconds of zero samples after which the reason becomes `'nothing-heard'`. Default 5. */
  readonly nothingHeardAfter?: number;
  /** Keeps the screen on while it listens, where the browser can. Default true. */
  readonly wakeLock?: boolean;
  /** Where the package's own files are, as for loadModel(). */
  readonly assets?: Assets;
}

/** Live transcription of a source. Iterating yields the events of model.stream(), and throws the error that ended it, if any. */
export interface Listening extends AsyncIterable<LiveEvent> {
  /** Releases the source, emits the pending text and ends the events. May be called repeatedly, and never rejects. */
  close(): Promise<void>;
  /** Begins close() without waiting for it, for `using`. */
  [Symbol.dispose](): void;
  /** Calls close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Tries to go on after `'suspended'`; call it from a click. */
  resume(): Promise<void>;
  readonly state: ListenState;
  readonly status: ListenStatus;
  /** Level of the latest audio, for meters: 0 is silence (−60 dB or less), 1 is full scale. */
  readonly level: number;
  /** Seconds of audio that wait for the model. */
  readonly lag: number;
  /** Seconds of audio received so far: the clock of the events. */
  readonly time: number;
}
