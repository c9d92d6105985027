// Puts the parts of the page together.
import { ConvertedView } from './files/converted_view.js';
import { DropZone } from './files/drop_zone.js';
import { purposeOf } from './files/file_purpose.js';
import { HistoryView } from './history/history_view.js';
import { documentOf, fill } from './live/heard_document.js';
import { LiveCaptions } from './live/live_captions.js';
import { liveOptionsOf } from './live/live_options.js';
import { FactsView } from './models/facts_view.js';
import { ModelDesk } from './models/model_desk.js';
import { SpeedPromise } from './models/speed_promise.js';
import { NetworkView } from './network/network_view.js';
import { PlayerPanel } from './player/player_panel.js';
import { RecordButton } from './recording/record_button.js';
import { byId } from './shell/dom.js';
import { Work } from './shell/work.js';
import { strings } from './strings.js';
import { doneText, Hearing } from './transcript/hearing.js';
import { ListeningOptions } from './transcript/listening_options.js';
import type { TranscriptDocument } from './transcript/transcript_document.js';
import { TranscriptPanel } from './transcript/transcript_panel.js';

const work = new Work();
const facts = new FactsView();
const speed = new SpeedPromise();
const listening = new ListeningOptions();
const converted = new ConvertedView();
const player = new PlayerPanel();
const transcript = new TranscriptPanel(player);
const history = new HistoryView((document) => show(document));
const network = new NetworkView(() => void runNetwork());
const hearing = new Hearing({
  ...{ work, facts, speed, listening },
  onBegin: (document) => {
    history.keep(document);
    show(document);
  },
});

const live = new LiveCaptions({
  onStart: () => player.pause(),
  onHeard: async (heard) => {
    const document = documentOf(heard, models.knowsDigitsAlone);
    history.keep(document);
    show(document);
    fill(document, heard);
    await history.written();
  },
});

/** Shows a transcript: one that has just begun, or an earlier one. */
function show(document: TranscriptDocument): void {
  transcript.show(document);
  history.shown = document;
}

const recorder = new RecordButton({
  onAsk: () => {
    // A model goes on loading meanwhile.
    if (!models.isLoading) work.begin();
    player.pause();
  },
  onStart: () => work.status.busy(strings.recording.going),
  onRecorded: (file) => useRecording(file),
  onError: (error) => {
    work.errors.show(strings.recording.refused, error);
    work.status.idle(strings.status.ready);
  },
});

const models = new ModelDesk(work, {
  onLeave: () => live.leaveModel(),
  onGone: () => network.hide(),
  onModel: async (name, model) => {
    facts.model(name, model.info);
    speed.model(name);
    listening.offer(model.info);
    const options = () => liveOptionsOf(model.info, listening.value);
    live.useModel({ name, streams: model.info.streams, model, options });
    facts.memory(await model.memory());
  },
  onNetwork: async (name, module, source) => {
    facts.network(name, module);
    listening.hide();
    live.useModel(undefined);
    transcript.hide();
    await network.show(name, module, source);
  },
  onConverted: (file, warnings) => converted.offer(file, warnings),
  onRest: (text) => {
    if (recorder.isRecording) work.status.busy(strings.recording.going);
    else work.status.idle(text);
  },
  onRecording: (file) => useRecording(file),
});

async function useRecording(file: File): Promise<void> {
  if (live.isRunning) {
    work.status.idle(strings.live.waits(file.name));
    await live.whenOver;
  }
  if (models.isLoading) models.wait(file);
  else if (network.isShown) await hearWithNetwork(file);
  else if (models.model) await hearing.hear(models.model, file, models.knowsDigitsAlone);
  else {
    work.begin();
    work.status.idle(strings.models.noneToListen);
  }
}

function hearWithNetwork(file: File): Promise<void> {
  const { giving, notHeard, takesNoSound } = strings.network;
  return work.run(giving(file.name), notHeard(file.name), async (signal) => {
    const took = await network.hear(file, signal, (part) => work.status.progress(part));
    return took ? doneText(took) : takesNoSound;
  });
}

/** Runs the network on what its fields say. */
function runNetwork(): Promise<void> {
  return work.run(strings.status.running, strings.network.notRun, async (signal) => {
    const seconds = await network.run(signal);
    return seconds === undefined
      ? strings.status.ready
      : strings.status.ran((seconds * 1000).toPrecision(2));
  });
}

async function useFiles(dropped: readonly File[]): Promise<void> {
  const purpose = await purposeOf(dropped);
  if (!purpose) return;
  const { kind, name, files } = purpose;
  if (kind === 'checkpoint') await models.useCheckpoint(files, name);
  else if (kind === 'module') await models.useNetwork(files[0], name);
  else if (kind === 'model') await models.useModel(files.length > 1 ? files : files[0], name);
  else await useRecording(files[0]);
}

async function useSample(): Promise<void> {
  const name = models.sample;
  const response = await fetch(new URL(name, import.meta.url));
  await useRecording(new File([await response.blob()], name, { type: 'audio/wav' }));
}

new DropZone((files) => void useFiles(files));
byId('sample', HTMLButtonElement).addEventListener('click', () => void useSample());
byId('again', HTMLButtonElement).addEventListener('click', () => {
  const recording = transcript.document?.recording;
  if (recording) void useRecording(recording);
});
void models.useFirst();
