// Progress of a call.

/**
 * What `onProgress` receives. `fraction` (0 to 1) and `total` are absent while they are unknown. An exception from `onProgress`
 * stops the call, which rejects with that exception; the model stays usable. A promise that it returns is not awaited.
 */
export interface Progress {
  /**
   * `'decode'` and `'transcribe'` count seconds of audio. `'wait'` counts nothing: with `early`, the first window is encoded, and its text
   * waits for the rest of the model. All others count bytes. For a model that is cached or loaded by its name, `'download'` counts bytes
   * from the network, `'cache'` bytes from the cache, `'convert'` bytes of converted weights, and `'load'` bytes in the engine; these phases
   * run concurrently.
   */
  readonly phase:
    'load' | 'wait' | 'inspect' | 'decode' | 'transcribe' | 'convert' | 'download' | 'cache';
  /**
   * How much of the whole call is done, from 0 to 1, for one bar over all phases. It never goes back within a call; the last report
   * before the call succeeds has 1. If a length is unknown, it approaches 1 and is no measure of the remaining time.
   */
  readonly overall: number;
  /** Bytes or seconds that this phase has done. */
  readonly loaded: number;
  /** Bytes or seconds that this phase has in all; absent while unknown. */
  readonly total?: number;
  /** `loaded / total`. */
  readonly fraction?: number;
  /** For the download of a model by name: the repository, such as `'ggerganov/whisper.cpp'`. */
  readonly source?: string;
  /** For a transcription, after its first window: an estimate of the seconds left, from the speed so far. */
  readonly remainingSeconds?: number;
}
