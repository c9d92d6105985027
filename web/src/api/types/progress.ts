// Progress of a call.

/**
 * What `onProgress` receives. `fraction` (0 to 1) and `total` are absent while they are unknown. An exception from `onProgress`
 * stops the call, which rejects with that exception; the model stays usable. A promise that it returns is not awaited.
 */
export interface ProgressEvent {
  /**
   * `'load'`, `'inspect'`, `'convert'` and `'download'` count bytes, `'decode'` and `'transcribe'` seconds of audio; `'prepare'` is
   * reported once, after `'load'`.
   */
  readonly phase: 'load' | 'prepare' | 'inspect' | 'decode' | 'transcribe' | 'convert' | 'download';
  readonly loaded: number;
  readonly total?: number;
  readonly fraction?: number;
  /** For a transcription, after its first window: an estimate of the seconds left, from the speed so far. */
  readonly remainingSeconds?: number;
}
