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
  /** Loads the model as soon as the component is there, not with the first transcription. */
  readonly preload?: boolean;
}

/** What useTranscriber() gives a component. */
export type Transcriber = TranscriberState &
  Pick<TranscriberStore, 'load' | 'transcribe' | 'stop' | 'pause' | 'resume'>;

/**
 * A model in a component: what it does, and functions to have it done. The model is loaded once, with the source and options of the
 * first render, and freed when the component goes; give the component a `key` to load another. Renders on a server, where it
 * is idle. Once the component has gone, load() and transcribe() load nothing and resolve to undefined.
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
