// `transcribe --jobs N`: N engines in this process, and as many recordings at once.
import { SusurrusError } from '../src/node.js';
import type { AnyTranscribeOptions, Model } from '../src/node.js';
import { loadInWorkers, sharesEngines } from '../src/node_workers.js';
import { asSusurrusError } from '../src/api/errors.js';
import { mostWorkers } from '../src/api/options.js';
import { isStdin } from './audio_source.js';
import { hear } from './heard.js';
import type { Heard } from './heard.js';
import { ModelPlace } from './model_place.js';
import { tellWarnings } from './open_model.js';
import type { ModelRequest } from './open_model.js';

export interface Jobs {
  /** Engines in all. */
  readonly count: number;
  readonly model: ModelRequest;
  readonly options: AnyTranscribeOptions;
  readonly files: readonly string[];
  readonly signal: AbortSignal;
  /** Gets each file's outcome, in the order in which they come. What it throws ends everything. */
  readonly settle: (at: number, outcome: Heard | SusurrusError) => Promise<void>;
}

/** What a model's own engine fails with, and what it says from then on. */
const isOfEngine = ({ code }: SusurrusError): boolean =>
  code === 'internal_error' || code === 'wrong_state';

/**
 * Transcribes the files. Recordings that are cut into chunks share the engines of one model, or of several where one may not have so
 * many; else each recording has a model of one engine. The recording at which a model's own engine fails has failed; others that
 * wanted that engine begin again.
 */
export async function runJobs({
  count,
  model: request,
  options,
  files,
  signal,
  settle,
}: Jobs): Promise<void> {
  const told = new Set<string>();
  const tellNew = ({ info: { warnings } }: Model): void => {
    tellWarnings(warnings.filter((warning) => !told.has(warning)));
    for (const warning of warnings) told.add(warning);
  };
  const place = (): ModelPlace =>
    new ModelPlace((signal) => loadInWorkers(request.source, { ...request.options, signal }));
  const places = [place()] as [ModelPlace, ...ModelPlace[]];
  // One listens to nothing that others listen to: Node warns of a signal that has more than ten listeners.
  const lanes = files.slice(0, count).map(() => new AbortController());
  const endAll = (reason: unknown): void => {
    for (const lane of lanes) lane.abort(reason);
  };

  const outcomeOf = async (
    file: string,
    place: ModelPlace,
    asked: AnyTranscribeOptions & { readonly signal: AbortSignal },
  ): Promise<Heard | SusurrusError> => {
    for (;;) {
      const taken = place.take(asked.signal);
      try {
        const model = await taken.model;
        tellNew(model);
        const heard = await hear(
          ...([model, file, asked, undefined, undefined, taken.memory] as const),
        ).catch(asSusurrusError);
        asked.signal.throwIfAborted();
        tellNew(model);
        if (!(heard instanceof SusurrusError) || !isOfEngine(heard)) return heard;
        const isCause = !taken.isSpent;
        taken.isSpent = true;
        if (isCause || isStdin(file)) return heard;
      } finally {
        await place.giveBack(taken);
      }
    }
  };

  let next = 0;
  const line = async (lane: AbortController, at: number): Promise<void> => {
    const place = places[at % places.length] ?? places[0];
    const engines =
      Math.floor(count / places.length) + Number(at % places.length < count % places.length);
    const asked = { workers: Math.min(engines, mostWorkers), ...options, signal: lane.signal };
    while (next < files.length) {
      const at = next++;
      await settle(at, await outcomeOf(files[at] ?? '', place, asked));
    }
  };

  signal.throwIfAborted();
  const onAbort = (): void => endAll(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const [first] = lanes;
    if (!first) return;
    const taken = places[0].take(first.signal);
    const { workers = 'auto' } = options;
    const isShared = sharesEngines(await taken.model, options);
    await places[0].giveBack(taken);
    const most = !isShared ? 1 : workers === 'auto' ? mostWorkers : Math.max(1, workers);
    while (places.length < Math.min(lanes.length, Math.ceil(count / most))) places.push(place());
    const ends = await Promise.allSettled(
      lanes.map((lane, at) =>
        line(lane, at).catch((error: unknown) => {
          endAll(error);
          throw error;
        }),
      ),
    );
    signal.throwIfAborted();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await Promise.all(places.map((each) => each.close()));
  }
}
