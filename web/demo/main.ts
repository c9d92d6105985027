import { convertModel, loadModel, openModule } from '../src/index.js';
import type { LoadOptions, Model, Variant } from '../src/index.js';
import { ConvertedView } from './converted_view.js';
import { byId } from './dom.js';
import { DropZone } from './drop_zone.js';
import { ErrorView } from './error_view.js';
import { ExportBar } from './export_bar.js';
import { FactsView } from './facts_view.js';
import { fileKind, type FileKind } from './file_kind.js';
import { duration } from './format.js';
import { languageName, ListeningOptions } from './listening_options.js';
import { LoadQueue } from './load_queue.js';
import { markOffered, offerModels, type OfferedModel } from './offered_models.js';
import { NetworkView } from './network_view.js';
import { Player } from './player.js';
import { RecordButton } from './record_button.js';
import { StatusView } from './status_view.js';
import { TranscriptView } from './transcript_view.js';

const recordingText = 'Recording. Press Stop when you are done.';

const status = new StatusView();
const errors = new ErrorView();
const facts = new FactsView();
const listening = new ListeningOptions();
const exports = new ExportBar();
const converted = new ConvertedView();
const player = new Player((seconds, playing) => transcript.mark(seconds, playing));
const transcript = new TranscriptView((start, end) => void play(start, end));
const network = new NetworkView(() => void runNetwork());

const recorder = new RecordButton({
  onAsk: () => {
    // A model goes on loading meanwhile.
    if (!loads.isLoading) beginWork();
    player.pause();
  },
  onStart: () => status.busy(recordingText),
  onRecorded: (file) => useRecording(file),
  onError: (error) => {
    errors.show('The microphone could not be used', error);
    status.idle('Ready.');
  },
});

const loads = new LoadQueue();
let model: Model | undefined;
/** The model in use, if it is one of the list's. */
let inUse: OfferedModel | undefined;
/** Of the model that was chosen last from the list, or of the one in use once that load has failed. */
let sample = 'sample.wav';
/** The work under way. A new file stops it and takes its place. */
let current = new AbortController();
/** What was transcribed last. */
let heard: File | undefined;

/** Stops the work under way and returns the signal for the next. */
function beginWork(): AbortSignal {
  current.abort();
  current = new AbortController();
  errors.clear();
  return current.signal;
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** What loadModel() and openModule() take. */
interface LoadCall {
  readonly signal: AbortSignal;
  readonly onProgress: (event: { readonly fraction?: number }) => void;
  readonly variant?: Variant;
}

/** Opens something and shows it, in place of the model or network from before. */
async function use<Opened extends { dispose(): void }>(
  name: string,
  offered: OfferedModel | undefined,
  open: (call: LoadCall) => Promise<Opened>,
  show: (opened: Opened) => Promise<void>,
): Promise<void> {
  const signal = beginWork();
  if (offered) sample = offered.sample;
  loads.begin('Loading', name);
  showLoading();
  try {
    const opened = await open({
      signal,
      onProgress: ({ fraction }) => {
        if (!signal.aborted && fraction !== undefined) status.progress(fraction);
      },
      ...forcedVariant(),
    });
    if (signal.aborted) {
      opened.dispose();
      signal.throwIfAborted();
    }
    model?.dispose();
    model = undefined;
    network.hide();
    await show(opened);
    byId('ten_words', HTMLElement).hidden = offered?.knowsDigitsAlone !== true;
    inUse = offered;
    markOffered(offered);
    if (signal !== current.signal) return;
    const waiting = loads.end();
    rest(`Ready. ${name} is loaded.`);
    if (waiting) await useRecording(waiting);
  } catch (error) {
    if (signal !== current.signal) return;
    if (!isAbort(error)) errors.show(`${name} could not be loaded`, error);
    markOffered(inUse);
    if (inUse) ({ sample } = inUse);
    const isThere = model !== undefined || network.isShown;
    const still = isThere ? 'The model from before is still there.' : 'No model is loaded.';
    rest(`${isAbort(error) ? 'Stopped. ' : ''}${still}${giveUpWaiting()}`);
  }
}

const useModel = (
  source: URL | File | readonly File[],
  name: string,
  offered?: OfferedModel,
): Promise<void> =>
  use(
    name,
    offered,
    (call) => loadModel(source, call),
    async (loaded) => {
      model = loaded;
      facts.model(name, loaded.info);
      facts.memory(await loaded.memory());
      listening.offer(loaded.info);
    },
  );

/** A TenniS module. */
const useNetwork = (source: URL | File, name: string, offered?: OfferedModel): Promise<void> =>
  use(
    name,
    offered,
    (call) => openModule(source, call),
    async (module) => {
      facts.network(name, module);
      listening.hide();
      transcript.hide();
      await network.show(name, module, source);
    },
  );

function useOffered(offered: OfferedModel): Promise<void> {
  const address = new URL(offered.file, import.meta.url);
  return (offered.isModule ? useNetwork : useModel)(address, offered.name, offered);
}

/** Loads the first model of the list, unless something else was begun before the list is there. */
async function loadFirstModel(): Promise<void> {
  const signal = beginWork();
  loads.begin('Loading', 'the first model');
  showLoading();
  const stopped = new Promise<void>((done) => {
    signal.addEventListener('abort', () => done(), { once: true });
  });
  const first = await Promise.race([offerModels((offered) => void useOffered(offered)), stopped]);
  if (signal !== current.signal) return;
  if (first && !signal.aborted) {
    markOffered(first);
    loads.prepared();
    await useOffered(first);
  } else {
    rest(`Stopped. No model is loaded.${giveUpWaiting()}`);
  }
}

function showLoading(): void {
  status.busy(loads.text, () => current.abort());
}

/** The load failed: drop the recording that waited, rather than give it to another model unasked. */
function giveUpWaiting(): string {
  const waiting = loads.end();
  return waiting ? ` ${waiting.name} was not transcribed.` : '';
}

/** Sets the page to idle, unless a recording is running. */
function rest(text: string): void {
  if (recorder.isRecording) status.busy(recordingText);
  else status.idle(text);
}

/** `?variant=simd` or `?variant=relaxed` in the address asks for that binary. */
function forcedVariant(): Pick<LoadOptions, 'variant'> {
  const wanted = new URLSearchParams(location.search).get('variant');
  return wanted ? { variant: wanted as Variant } : {};
}

async function useRecording(file: File): Promise<void> {
  if (loads.isLoading) {
    loads.add(file);
    showLoading();
    return;
  }
  const signal = beginWork();
  if (network.isShown) {
    await work(
      `Giving ${file.name} to the network …`,
      `${file.name} could not be heard`,
      async () => {
        const seconds = await network.hear(file, signal, (part) => status.progress(part));
        return seconds === undefined
          ? 'This network takes no sound. Choose or drop another model to listen with.'
          : `Done: ${duration(seconds)} of sound`;
      },
    );
    return;
  }
  if (!model) {
    status.idle('There is no model to listen with. Drop one first.');
    return;
  }
  status.busy(`Listening to ${file.name} …`, () => current.abort());
  if (file !== heard) player.load(file);
  heard = file;
  transcript.start(file.name);
  exports.offer(undefined);
  const began = performance.now();
  try {
    const { task } = listening;
    const work = model.transcribe(file, {
      ...listening.value,
      signal,
      onProgress: ({ fraction, remainingSeconds }) => {
        if (!signal.aborted && fraction !== undefined) status.progress(fraction, remainingSeconds);
      },
    });
    for await (const segment of work) {
      if (signal.aborted) return;
      transcript.add(segment);
    }
    const result = await work;
    const seconds = (performance.now() - began) / 1000;
    transcript.finish(
      [
        duration(result.duration),
        languageName(result.language),
        ...(task === 'translate' ? ['translated into English'] : []),
      ],
      result,
    );
    exports.offer({ name: file.name.replace(/\.[^.]*$/, ''), result, options: { task } });
    facts.speed(seconds, result.duration);
    facts.memory(await model.memory());
    status.idle(`Done: ${duration(result.duration)} of sound in ${duration(seconds)}.`);
  } catch (error) {
    if (signal !== current.signal) return;
    transcript.breakOff(isAbort(error) ? 'stopped before the end' : 'ended by an error');
    if (!isAbort(error)) errors.show(`${file.name} could not be transcribed`, error);
    status.idle(isAbort(error) ? 'Stopped.' : 'Ready for another recording.');
  }
}

/** Runs the network on what its fields say. */
const runNetwork = (): Promise<void> => {
  const signal = beginWork();
  return work('Running …', 'The network could not be run', async () => {
    const seconds = await network.run(signal);
    return seconds === undefined ? 'Ready.' : `Ran in ${(seconds * 1000).toPrecision(2)} ms.`;
  });
};

/** Short work that ends with a sentence for the status line. */
async function work(doing: string, failed: string, task: () => Promise<string>): Promise<void> {
  const { signal } = current;
  status.busy(doing, () => current.abort());
  try {
    const done = await task();
    if (signal === current.signal) status.idle(done);
  } catch (error) {
    if (signal !== current.signal) return;
    if (!isAbort(error)) errors.show(failed, error);
    status.idle(isAbort(error) ? 'Stopped.' : 'Ready.');
  }
}

/** Converts another program's model, with the files beside it, to use it here and to save it. */
async function useCheckpoint(files: readonly File[], name: string): Promise<void> {
  const signal = beginWork();
  loads.begin('Converting', name);
  showLoading();
  try {
    const parts: Blob[] = [];
    // A Blob may leave memory, an array does not.
    const sink = new WritableStream<Uint8Array<ArrayBuffer>>({
      write: (bytes) => void parts.push(new Blob([bytes])),
    });
    const { warnings } = await convertModel(files, sink, {
      signal,
      onProgress: ({ phase, fraction }) => {
        if (!signal.aborted && phase === 'convert') status.progress(fraction ?? 0);
      },
    });
    signal.throwIfAborted();
    const file = new File(parts, `${name.replace(/\.[^.]*$/, '')}.apr`);
    converted.offer(file, warnings);
    loads.prepared();
    await useModel(file, file.name);
  } catch (error) {
    if (signal !== current.signal) return;
    if (!isAbort(error)) errors.show(`${name} could not be converted`, error);
    rest(`${isAbort(error) ? 'Stopped.' : 'Ready.'}${giveUpWaiting()}`);
  }
}

/** What was dropped first is looked at first, so that the latest wins. */
let looking: Promise<readonly FileKind[]> = Promise.resolve([]);

/**
 * Files of a checkpoint are one with what is beside it. Several models are one in shards; else the first one counts.
 */
async function useFiles(files: readonly File[]): Promise<void> {
  const kinds = await (looking = looking
    .catch(() => [])
    .then(() => Promise.all(files.map(fileKind))));
  const checkpoint = files.find((_, i) => kinds[i] === 'checkpoint');
  const parts = files.filter((_, i) => kinds[i] === 'model');
  const [first] = files;
  if (checkpoint) {
    await useCheckpoint(files, checkpoint.name);
  } else if (parts.length > 1) {
    const manifest = parts.find(({ name }) => !/-\d{5}-of-\d{5}\.apr$/i.test(name)) ?? first;
    await useModel(parts, manifest?.name ?? '');
  } else if (first && kinds[0] === 'module') {
    await useNetwork(first, first.name);
  } else if (first && kinds[0] === 'model') {
    await useModel(first, first.name);
  } else if (first) {
    await useRecording(first);
  }
}

async function useSample(): Promise<void> {
  const name = sample;
  const response = await fetch(new URL(name, import.meta.url));
  await useRecording(new File([await response.blob()], name, { type: 'audio/wav' }));
}

async function play(start: number, end?: number): Promise<void> {
  try {
    await player.play(start, end);
  } catch (error) {
    // Another press while this one was still starting is no error.
    if (!isAbort(error)) errors.show('This browser cannot play the recording', error);
  }
}

new DropZone((files) => void useFiles(files));
byId('sample', HTMLButtonElement).addEventListener('click', () => void useSample());
byId('again', HTMLButtonElement).addEventListener('click', () => {
  if (heard) void useRecording(heard);
});
void loadFirstModel();
