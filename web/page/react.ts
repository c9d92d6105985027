/**
 * A hook for React, and the store behind it.
 * @module susurrus/react
 */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { checkOptions, flag, type Check } from '../src/api/options.js';
import type { ModelSource } from '../src/index.js';
import { TranscriberStore } from './transcriber_store.js';
import type { TranscriberOptions, TranscriberState } from './transcriber_store.js';

export type { TranscriberOptions, TranscriberState };
export { TranscriberStore };

const anObject: Check = ['an object', (value) => typeof value === 'object' && value !== null];

/** Options of useTranscriber(). */
export interface UseTranscriberOptions extends TranscriberOptions {
  /** Loads the model as soon as the component is mounted, not with the first transcription. */
  readonly preload?: boolean;
}

/** Result of useTranscriber(). */
export type Transcriber = TranscriberState &
  Pick<TranscriberStore, 'load' | 'transcribe' | 'stop' | 'pause' | 'resume'>;

/**
 * Gives a component a model: its state, and functions to load it and to transcribe. The model is loaded once, with the source and options of
 * the first render, and disposed of when the component unmounts; give the component a `key` to load another. On a server it renders
 * the state `'idle'`. After unmounting, load() and transcribe() do nothing and resolve to undefined.
 *
 * @throws SusurrusError `invalid_argument` for wrong options. Errors of the model and of transcriptions are the state's `error`.
 * @example
 * ```js
 * const { segments, transcribe } = useTranscriber('base', { preload: true });
 * await transcribe(file, { language: 'en' });
 * console.log(segments.length);
 * ```
 */
export function useTranscriber(
  source: ModelSource,
  options: UseTranscriberOptions = {},
): Transcriber {
  const [store] = useState(() => {
    checkOptions(options, { load: anObject, transcribe: anObject, preload: flag });
    return new TranscriberStore(source, options);
  });
  const { preload = false } = options;
  useEffect(() => {
    const release = store.hold();
    if (preload) void store.load();
    return release;
  }, [store, preload]);
  const state = useSyncExternalStore(store.subscribe, store.state, store.state);
  const { load, transcribe, stop, pause, resume } = store;
  return { ...state, load, transcribe, stop, pause, resume };
}
