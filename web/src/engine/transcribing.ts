// Transcribes recordings and streams, step by step. Options and results are passed to and from the core as JSON.
import type { SavedTranscription, Segment } from '../api/types.js';
import type { Arrivals } from './arrivals.js';
import type { AudioSupply } from './audio_supply.js';
import { sampleRate } from '../api/generated/whisper.js';
import type { EngineHolder } from './engine.mjs';
import { unwrap } from '../wasm/emscripten_module.js';
import type { RunningModule } from './engine_module.js';
import type { YieldController } from '../wasm/yield_controller.js';
import { ProgressMeter } from './progress_meter.js';
import type {
  EngineCalls,
  EngineEvent,
  HeardLanguages,
  Settings,
  TranscriptionProgress,
} from '../protocol/engine.js';
import type { PauseGate } from './pause_gate.js';
import { checked } from './stepping.js';

type SavedState = SavedTranscription['state'];

/** An engine with a model of any family, of which more may arrive. */
export interface TranscriptionEngine {
  readonly module: RunningModule;
  readonly model: EngineHolder;
  readonly arrivals: Arrivals;
  /** Whether the audio is through what has arrived. */
  readonly hasEncoded: () => boolean;
}

interface Recording {
  readonly supply: AudioSupply;
  readonly settings: Settings;
  /** State of an earlier transcription, with its tokens, to continue from. */
  readonly state: SavedState | undefined;
  /** A stream's length according to its file, used only for progress. */
  readonly expectedSeconds?: number | undefined;
}

export async function transcribeAudio(
  { module, model, arrivals, hasEncoded }: TranscriptionEngine,
  { supply, settings, state, expectedSeconds }: Recording,
  gate: PauseGate,
  yielder: YieldController,
  emit: (event: EngineEvent) => void,
): Promise<EngineCalls['transcribe']['answer']> {
  const { needAudio, needWeights, segmentReady, rejectedReady, stateReady, done } = module.Step;
  const { sampleCount } = supply;
  const begins = settings.loudnessSamples ?? 0;
  const total = sampleCount === undefined ? undefined : sampleCount / sampleRate;
  const report = (progress: TranscriptionProgress): void => emit({ type: 'progress', progress });
  const meter = new ProgressMeter(total ?? expectedSeconds, report, gate.clock);
  const saved = state ? JSON.stringify(state) : '';
  const transcriber = new module.Transcriber();
  const segment = (): Segment => JSON.parse(transcriber.takeSegment()) as Segment;
  const languages = (): HeardLanguages => {
    const heard = JSON.parse(transcriber.languages()) as HeardLanguages;
    if (settings.language === 'per-window') return heard;
    const { languageProbability } = heard;
    return languageProbability === undefined ? {} : { languageProbability };
  };
  try {
    // A stream has no length yet.
    unwrap(transcriber.begin(model, JSON.stringify(settings), sampleCount ?? -1, saved));
    let heard = 0;
    // What comes of a window goes out together, with the state after it.
    let window = { segments: [] as Segment[], rejected: [] as Segment[] };
    const send = async (after?: SavedState): Promise<void> => {
      if (window.segments.length + window.rejected.length === 0) return;
      emit({ type: 'window', ...window, state: after, languages: languages() });
      window = { segments: [], rejected: [] };
      // Lets a caller that has enough segments stop before more audio is taken.
      await yielder.turn();
    };
    let hasTold = false;
    for (;;) {
      while (gate.opening) await yielder.wait(gate.opening);
      const step = checked(transcriber, module, transcriber.step(yielder.left));
      if (step === segmentReady || step === rejectedReady) {
        (step === segmentReady ? window.segments : window.rejected).push(segment());
        await yielder.step();
        continue;
      }
      if (step === needWeights) {
        if (!hasTold && hasEncoded()) {
          emit({ type: 'modelAwaited' });
          hasTold = true;
        }
        await yielder.wait(arrivals.next());
        // Time spent on downloads must not count as decoding time.
        meter.audioGiven(total === undefined ? heard : transcriber.progress() * total);
        continue;
      }
      await send(step === stateReady ? (JSON.parse(transcriber.state()) as SavedState) : undefined);
      if (step === done) break;
      if (step === needAudio) {
        const { begin, end } = transcriber.audioRequest();
        heard = Math.max(0, begin - begins) / sampleRate;
        const samples = await yielder.wait(supply.read(begin, end));
        if (samples.length < end - begin) transcriber.endAudio(supply.sampleCount ?? 0);
        else transcriber.audioWindow().set(samples);
      }
      const loaded = total === undefined ? heard : transcriber.progress() * total;
      // A stream's progress shows only when it asks for more.
      meter.update(loaded);
      if (step === needAudio) meter.audioGiven(loaded);
      await yielder.step();
    }
    const duration = (supply.heardCount - begins) / sampleRate;
    meter.finish(duration);
    const text = JSON.parse(transcriber.text()) as string;
    return { text, language: transcriber.language(), ...languages(), duration };
  } finally {
    transcriber.delete();
  }
}
