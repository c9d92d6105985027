import { convertModel, loadModel } from '../src/index.js';
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
import { Player } from './player.js';
import { startRecording } from './recorder.js';
import type { Recording } from './recorder.js';
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

const loads = new LoadQueue();
let model: Model | undefined;
/** The model in use, if it is one of the list's. */
let inUse: OfferedModel | undefined;
/** Of the model that was chosen last from the list, or of the one in use once that load has failed. */
let sample = 'sample.wav';
/** The work under way. A new file stops it and takes its place. */
let current = new AbortController();
let recording: Recording | undefined;
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

async function useModel(
  source: URL | File | readonly File[],
  name: string,
  offered?: OfferedModel,
): Promise<void> {
  const signal = beginWork();
  if (offered) sample = offered.sample;
  loads.begin('Loading', name);
  showLoading();
  try {
    const loaded = await loadModel(source, {
      signal,
      onProgress: ({ fraction }) => {
        if (!signal.aborted && fraction !== undefined) status.progress(fraction);
      },
      ...forcedVariant(),
    });
    if (signal.aborted) {
      loaded.dispose();
      signal.throwIfAborted();
    }
    model?.dispose();
    model = loaded;
    facts.model(name, loaded.info);
    facts.memory(await loaded.memory());
    listening.offer(loaded.info);
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
    const still = model ? 'The model from before is still there.' : 'No model is loaded.';
    rest(`${isAbort(error) ? 'Stopped. ' : ''}${still}${giveUpWaiting()}`);
  }
}

const useOffered = (offered: OfferedModel): Promise<void> =>
  useModel(new URL(offered.file, import.meta.url), offered.name, offered);

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
  if (recording) status.busy(recordingText);
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

async function toggleRecording(): Promise<void> {
  const button = byId('record', HTMLButtonElement);
  const label = byId('record_label', HTMLElement);
  const level = byId('level', HTMLMeterElement);
  button.disabled = true;
  try {
    if (recording) {
      const file = await recording.stop();
      recording = undefined;
      show(false);
      await useRecording(file);
      return;
    }
    // A model goes on loading meanwhile.
    if (!loads.isLoading) beginWork();
    player.pause();
    recording = await startRecording((peak) => (level.value = peak));
    show(true);
    status.busy(recordingText);
  } catch (error) {
    show(false);
    errors.show('The microphone could not be used', error);
    status.idle('Ready.');
  } finally {
    button.disabled = false;
  }

  function show(on: boolean): void {
    button.setAttribute('aria-pressed', String(on));
    label.textContent = on ? 'Stop' : 'Record';
    level.hidden = !on;
    level.value = 0;
    button.disabled = false;
  }
}

new DropZone((files) => void useFiles(files));
byId('sample', HTMLButtonElement).addEventListener('click', () => void useSample());
byId('again', HTMLButtonElement).addEventListener('click', () => {
  if (heard) void useRecording(heard);
});
byId('record', HTMLButtonElement).addEventListener('click', () => void toggleRecording());
void loadFirstModel();
