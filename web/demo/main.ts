// Puts the parts of the page together.
import { ConvertedView } from './files/converted_view.js';
import { DropZone } from './files/drop_zone.js';
import { Intake } from './files/intake.js';
import { QueueDesk } from './files/queue_desk.js';
import { WaitingFiles } from './files/waiting_files.js';
import { HistoryView } from './history/history_view.js';
import { documentOf, fill } from './live/heard_document.js';
import { LiveCaptions, type LiveModel } from './live/live_captions.js';
import { liveOptionsOf } from './live/live_options.js';
import { FactsView } from './models/facts_view.js';
import { ModelDesk } from './models/model_desk.js';
import { SpeakersFile } from './models/speakers_file.js';
import { SpeedPromise } from './models/speed_promise.js';
import { NetworkView } from './network/network_view.js';
import { KeptView } from './offline/kept_view.js';
import { OfflineView } from './offline/offline_view.js';
import { PlayerPanel } from './player/player_panel.js';
import { Microphones } from './recording/microphones.js';
import { RecordButton } from './recording/record_button.js';
import { SpeakMenu } from './recording/speak_menu.js';
import { byId } from './shell/dom.js';
import { markShownParts } from './shell/shown_parts.js';
import { pageStore } from './shell/text_store.js';
import { Work } from './shell/work.js';
import { strings } from './strings.js';
import { doneText, Transcriber, type Turn } from './transcript/transcriber.js';
import { ListeningOptions } from './transcript/listening_options.js';
import type { DocumentChange, TranscriptDocument } from './transcript/transcript_document.js';
import { knowsEnglishAlone } from './transcript/perhaps_foreign.js';
import { TranscriptPanel } from './transcript/transcript_panel.js';

markShownParts();
const offline = new OfflineView();
const work = new Work();
const facts = new FactsView();
const speed = new SpeedPromise();
const listening = new ListeningOptions(() => void history.keepShownRecording());
const converted = new ConvertedView();
const player = new PlayerPanel();
const transcript = new TranscriptPanel(player, {
  onGoOn: (recording, document) => queue.goOn(recording, document),
  onOtherLanguages: (englishModel) => void models.chooseFor(englishModel),
});
const history: HistoryView = new HistoryView({
  onOpening: (isOpening) => {
    if (isOpening) queue.leave();
    transcript.isOpening = isOpening;
  },
  onOpen: (document, sought) => {
    show(document);
    transcript.arrive(sought);
  },
  onDeleted: (id) => queue.stop(({ facts }) => id === undefined || facts.id === id),
  keepsRecordings: () => listening.keepsRecordings,
});
const network = new NetworkView(() => void runNetwork());
const speakersFile = new SpeakersFile(new URL('models/speakers.apr', import.meta.url));
const onSpeakersFailed = (cause: unknown): void => {
  work.errors.show(strings.speakers.notTold, new Error(strings.speakers.missing, { cause }));
};
const transcriber = new Transcriber({ facts, speed, listening, speakersFile, onSpeakersFailed });

const microphones = new Microphones();

const live: LiveCaptions = new LiveCaptions(microphones, {
  isModelBusy: () => queue.isListening,
  awaitedModel: () => models.awaited,
  onStart: () => player.pause(),
  onHeard: async (heard) => {
    const document = documentOf(heard, models.knowsDigitsAlone);
    history.keep(document);
    show(document);
    fill(document, heard);
    await history.written();
  },
  onOtherLanguages: (englishModel) => void models.chooseFor(englishModel),
  onUnheard: (sound) => queue.add([sound]),
  onOver: () => queue.next(),
});

/** What was shown before what is shown now. */
let before: TranscriptDocument | undefined;

/** Shows a transcript: one that has just begun, or an earlier one. */
function show(document: TranscriptDocument): void {
  if (transcript.document !== document) before = transcript.document;
  transcript.show(document);
  history.shown = document;
}

/** A recording that cannot be read leaves no empty transcript in place of the one before. */
function takeBack(document: TranscriptDocument): boolean {
  if (!document.isEmpty || transcript.document !== document) return false;
  if (before) {
    show(before);
  } else {
    transcript.hide();
    history.shown = undefined;
  }
  before = undefined;
  return true;
}

const models: ModelDesk = new ModelDesk(work, {
  onLeave: () => live.leaveModel(),
  onGone: () => network.hide(),
  onModel: async (name, model) => {
    facts.model(name, model.info);
    speed.model(name);
    listening.offer(model.info);
    const forLive: LiveModel = {
      ...{ name, streams: model.info.streams, model },
      knowsEnglishAlone: knowsEnglishAlone(model.info) && !models.knowsDigitsAlone,
      options: () => {
        const { speakers } = listening;
        const { blob } = speakersFile;
        return liveOptionsOf(
          model.info,
          listening.value,
          blob && speakers && { ...speakers, model: blob },
        );
      },
      prepare: (signal) => {
        if (!listening.speakers || speakersFile.blob) return undefined;
        return speakersFile.fetch(signal).then(
          () => undefined,
          (error: unknown) => {
            signal.throwIfAborted();
            onSpeakersFailed(error);
          },
        );
      },
    };
    live.useModel(models.isForSample ? undefined : forLive);
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
  onNotLoaded: () => live.giveUpWaiting(),
  onRest: (text) => {
    work.status.idle(text);
    live.onRest();
    queue.next();
  },
  whenFree: () => queue.free,
  onComing: () => queue.showComing(),
  waiting: () => queue.waiting,
  giveUpWaiting: () => queue.giveUp(),
});

const waited = new WaitingFiles(pageStore, () => byId('file', HTMLInputElement).click());

const queue = new QueueDesk<TranscriptDocument>(work, {
  hasModel: (file) =>
    network.isShown || (models.model !== undefined && (!models.isForSample || samples.has(file))),
  // They share the model with the live captions, and wait for their end.
  isLoading: () => models.isLoading || live.isRunning,
  comes: () => models.coming,
  onUnheard: (files) => (waited.waiting = files),
  // Engines share recordings in chunks only, and a network has one.
  places: () =>
    !network.isShown && listening.hearsInChunks ? (models.model?.info.workers ?? 1) : 1,
  onWaiting: () => {
    if (live.isRunning) work.status.idle(strings.live.waits);
    else models.showWaiting();
  },
  listen: ({ file, earlier, signal, call }) =>
    listen(file, {
      ...call,
      earlier,
      signal,
      modelName: models.name,
      knowsDigitsAlone: models.knowsDigitsAlone,
    }),
  // One that goes on may be worked with.
  show: (document) => document === transcript.document || show(document),
  takeBack,
  isInUse: () => transcript.isInUse,
});

const intake = new Intake({ work, models, queue });

const speak = new SpeakMenu();

const record = new RecordButton(microphones, {
  onState: (isRecording) => (speak.isRecording = isRecording),
  onAsk: () => player.pause(),
  onRecorded: (file) => queue.add([file]),
  onError: (title, error) => work.errors.show(title, error),
});

new KeptView({
  stop: async () => {
    // They hold the model, which live captions need to end.
    queue.stopAll();
    await Promise.all([live.end(), record.discard()]);
    queue.stopAll();
    await models.stop();
    await queue.free;
  },
  transcripts: () => history.count(),
  deleteTranscripts: () => history.deleteAll(),
});

// What would be lost with the page. Live captions are kept as they come.
window.addEventListener('beforeunload', (event) => {
  if (queue.isListening || queue.waiting.length > 0 || record.isRecording || history.isUnkept) {
    event.preventDefault();
  }
});

/** Names change with edits and their undoing, and in other tabs. */
function onNamed({ kind }: DocumentChange): void {
  if (kind === 'edited' || kind === 'named' || kind === 'renewed') queue.showNames();
}

async function listen(file: File, turn: Turn): Promise<string> {
  if (!network.isShown && models.model) {
    return transcriber.transcribe(models.model, file, {
      ...turn,
      onText: (document) => {
        history.keep(document);
        document.listen(onNamed);
        turn.onText(document);
      },
    });
  }
  const took = await network.hear(file, turn.signal, turn.onPart);
  return took ? doneText(took) : strings.network.takesNoSound;
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

/** Samples that were asked for: the ten-word model may hear them where no other was chosen. */
const samples = new WeakSet<File>();

async function useSample(): Promise<void> {
  await models.prepareSample();
  const name = models.sample;
  const response = await fetch(new URL(name, import.meta.url));
  const file = new File([await response.blob()], name, { type: 'audio/wav' });
  samples.add(file);
  queue.add([file]);
}

new DropZone((files) => {
  waited.take(files);
  void intake.take(files);
});
byId('sample', HTMLButtonElement).addEventListener('click', () => void useSample());
byId('again', HTMLButtonElement).addEventListener('click', () => {
  const recording = transcript.document?.recording;
  if (recording) queue.again(recording);
});
void models.useFirst().then(() => offline.start());
void offline.takeShared().then((files) => intake.take(files));
