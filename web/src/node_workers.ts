// Models in Node for many recordings at once, as the command line has them.
import type { AnyTranscribeOptions, LoadOptions, Model, ModelSource } from './api/types.js';
import { isCut } from './model/chunked_transcription.js';
import { loadModelOn } from './model/load_model.js';
import { nodeInWorkers } from './node_platform.js';

/** Like loadModel(), with all engines in workers. */
export const loadInWorkers = (source: ModelSource, options: LoadOptions): Promise<Model> =>
  loadModelOn(nodeInWorkers, source, options);

/** Whether recordings that are transcribed at once share the model's engines. Else it hears one after the other. */
export const sharesEngines = ({ info }: Model, options: AnyTranscribeOptions): boolean =>
  isCut({ vad: true, ...options }, info);
