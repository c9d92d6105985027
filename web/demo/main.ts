import { loadModel, openModule } from '../src/index.js';
import type { Model } from '../src/index.js';
import { convertFiles } from './convert_files.js';
import { ConvertedView } from './converted_view.js';
import { byId } from './dom.js';
import { DropZone } from './drop_zone.js';
import { ErrorView } from './error_view.js';
import { ExportBar } from './export_bar.js';
import { FactsView } from './facts_view.js';
import { purposeOf } from './file_purpose.js';
import { duration } from './format.js';
import { hearSpeech } from './hear_speech.js';
import { ListeningOptions } from './listening_options.js';
import { loadCall, type LoadCall } from './load_call.js';
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
    const opened = await open(loadCall(signal, (part) => status.progress(part)));
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

async function useRecording(file: File): Promise<void> {
  if (loads.isLoading) {
    loads.add(file);
    showLoading();
    return;
  }
  const signal = beginWork();
  if (network.isShown) {
    await hearWithNetwork(file, signal);
    return;
  }
  if (!model) {
    status.idle('There is no model to listen with. Drop one first.');
    return;
  }
  status.busy(`Listening to ${file.name} …`, () => current.abort());
  if (file !== heard) player.load(file);
  heard = file;
  try {
    const took = await hearSpeech(model, file, signal, { listening, status, transcript, exports });
    if (!took) return;
    facts.speed(took.work, took.audio);
    facts.memory(await model.memory());
    status.idle(doneText(took));
  } catch (error) {
    if (signal !== current.signal) return;
    transcript.breakOff(isAbort(error) ? 'stopped before the end' : 'ended by an error');
    if (!isAbort(error)) errors.show(`${file.name} could not be transcribed`, error);
    status.idle(isAbort(error) ? 'Stopped.' : 'Ready for another recording.');
  }
}

const doneText = ({ audio, work }: { readonly audio: number; readonly work: number }): string =>
  `Done: ${duration(audio)} of sound in ${duration(work)}.`;

function hearWithNetwork(file: File, signal: AbortSignal): Promise<void> {
  return doWork(
    `Giving ${file.name} to the network …`,
    `${file.name} could not be heard`,
    async () => {
      const took = await network.hear(file, signal, (part) => status.progress(part));
      return took
        ? doneText(took)
        : 'This network takes no sound. Choose or drop another model to listen with.';
    },
  );
}

/** Runs the network on what its fields say. */
function runNetwork(): Promise<void> {
  const signal = beginWork();
  return doWork('Running …', 'The network could not be run', async () => {
    const seconds = await network.run(signal);
    return seconds === undefined ? 'Ready.' : `Ran in ${(seconds * 1000).toPrecision(2)} ms.`;
  });
}

/** Short work that ends with a sentence for the status line. */
async function doWork(doing: string, failed: string, task: () => Promise<string>): Promise<void> {
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
    const { file, warnings } = await convertFiles(files, name, {
      signal,
      onPart: (part) => status.progress(part),
    });
    converted.offer(file, warnings);
    loads.prepared();
    await useModel(file, file.name);
  } catch (error) {
    if (signal !== current.signal) return;
    if (!isAbort(error)) errors.show(`${name} could not be converted`, error);
    rest(`${isAbort(error) ? 'Stopped.' : 'Ready.'}${giveUpWaiting()}`);
  }
}

async function useFiles(dropped: readonly File[]): Promise<void> {
  const purpose = await purposeOf(dropped);
  if (!purpose) return;
  const { kind, name, files } = purpose;
  if (kind === 'checkpoint') await useCheckpoint(files, name);
  else if (kind === 'module') await useNetwork(files[0], name);
  else if (kind === 'model') await useModel(files.length > 1 ? files : files[0], name);
  else await useRecording(files[0]);
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
