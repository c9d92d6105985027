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

/** Sound that listen() opens itself, as often as it is asked to: microphone() and tabAudio() make them. */
export interface LiveSource {
  readonly kind: 'microphone' | 'tab-audio';
}

/**
 * Where sound comes from. A `MediaStream`, or an audio track of one, is heard until its tracks end, and stays its
 * owner's; a media element while it plays; samples
 * of an iterable or a stream are mono and 16 kHz, unless they say otherwise, and are taken as fast as they are heard.
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
  /** As enumerateDevices() names it. Default: the system's own choice. */
  readonly deviceId?: string;
  /** Takes the sound of loudspeakers out. Default true. */
  readonly echoCancellation?: boolean;
  /** Default false: models are trained with noise, and speech that the browser has filtered is harder to recognise. */
  readonly noiseSuppression?: boolean;
  /** Makes quiet voices louder. Default true. */
  readonly autoGainControl?: boolean;
  /** When the microphone is unplugged: go on with the one that the system takes instead. Default false: listening ends. */
  readonly followDevice?: boolean;
}

/**
 * `'starting'`: asking for permission, opening the device. `'suspended'`: no audio arrives for now, and `reason` says why. `'ended'`:
 * no new events will come; unread ones can still be read.
 */
export type ListenState = 'starting' | 'listening' | 'suspended' | 'ended';

/**
 * Why. Of `'listening'`: `'nothing-heard'`, when all samples are zero: a muted microphone, or the wrong one. Of `'suspended'`:
 * `'needs-click'` (browsers let a page begin only after a click or a key: any will do), `'interrupted'` (by the system, say for a
 * call), `'muted'` (by the system or a switch), `'paused'` (a media element). Of `'ended'`: `'closed'` (by close(), or by leaving the loop
 * over the events), `'source-ended'`, `'device-lost'`, `'aborted'`, `'failed'`.
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

/** What listening does at the moment. */
export interface ListenStatus {
  readonly state: ListenState;
  readonly reason?: ListenReason;
  /** The error, for the reasons `'aborted'` and `'failed'`. */
  readonly error?: unknown;
}

/** Options of listen(): those of model.stream(), but for the rate of the samples, which the source knows, and these. */
export interface ListenOptions extends Omit<AnyLiveOptions, 'sampleRate'> {
  /** Called at each change. If it throws, listening fails with that error. */
  readonly onState?: (status: ListenStatus) => void;
  /** Called about twenty times a second with the level of the latest audio, 0 to 1. */
  readonly onLevel?: (level: number) => void;
  /** Seconds of zero samples after which the reason becomes `'nothing-heard'`. Default 5. */
  readonly nothingHeardAfter?: number;
  /** Keeps the screen on while it listens, where the browser can. Default true. */
  readonly wakeLock?: boolean;
  /** Where the package's own files lie, as for loadModel(). */
  readonly assets?: Assets;
}

/** Live transcription of a source. Iterating yields the events of model.stream(), and throws if something goes wrong. */
export interface Listening extends AsyncIterable<LiveEvent> {
  /** Ends: the source is let go, what was said until then comes out, the events end. Can be called again, and never rejects. */
  close(): Promise<void>;
  /** Begins close() and does not wait for it, for `using`. */
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
  /** Seconds of sound that came so far: the clock of the events. */
  readonly time: number;
}
