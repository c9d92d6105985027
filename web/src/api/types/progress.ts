// How far a call is.

/**
 * How far something is, as an `onProgress` is told. `fraction` (0 to 1) and `total` are absent while they are unknown. What an
 * `onProgress` throws stops the call, which rejects with it unchanged; the model stays usable. A promise that it returns is not
 * awaited.
 */
export interface ProgressEvent {
  /** `'load'` and `'inspect'` count bytes; `'prepare'` follows once; `'transcribe'` counts seconds of audio; `'convert'` and `'download'` count bytes. */
  readonly phase: 'load' | 'prepare' | 'inspect' | 'transcribe' | 'convert' | 'download';
  readonly loaded: number;
  readonly total?: number;
  readonly fraction?: number;
  /** Of a transcription, once its first window is done: the seconds it will still take at the pace so far. */
  readonly remainingSeconds?: number;
}
