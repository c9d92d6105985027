// Progress of a call.

/**
 * What `onProgress` receives. `fraction` (0 to 1) and `total` are absent while they are unknown. An exception from `onProgress`
 * stops the call, which rejects with that exception; the model stays usable. A promise that it returns is not awaited.
 */
export interface Progress {
  /**
   * `'decode'` and `'transcribe'` count seconds of audio, `'wait'` counts nothing: with `early`, the first window
   * is encoded, and its text waits for the rest of the model. All others count bytes. Where a
   * model is kept or comes by its name, `'download'` are bytes from the network, `'cache'` bytes that were kept, `'convert'` bytes of
   * weights converted, and `'load'` those in the engine; they advance side by side.
   */
  readonly phase:
    'load' | 'wait' | 'inspect' | 'decode' | 'transcribe' | 'convert' | 'download' | 'cache';
  /**
   * How much of the whole call is done, from 0 to 1, for one bar over all phases. It never goes back within a call; the last report
   * before the call succeeds has 1. Where a length is unknown, it approaches 1 and says nothing of the time that is left.
   */
  readonly overall: number;
  /** What this phase has done: bytes or seconds. */
  readonly loaded: number;
  /** All that this phase has to do; absent while unknown. */
  readonly total?: number;
  /** `loaded / total`. */
  readonly fraction?: number;
  /** For the download of a model by name: the repository that the bytes come from, such as `'ggerganov/whisper.cpp'`. */
  readonly source?: string;
  /** For a transcription, after its first window: an estimate of the seconds left, from the speed so far. */
  readonly remainingSeconds?: number;
}
