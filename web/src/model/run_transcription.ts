import type {
  AudioInput,
  AudioStream,
  CommonTranscribeOptions as Options,
  ModelInfo,
  SavedTranscription,
  Transcript,
} from '../api/types.js';
import { transcribing, type PhaseProgress } from '../api/overall_progress.js';
import { withProgress } from '../api/progress_callback.js';
import { anyOf, orAborted } from '../api/signals.js';
import { AudioFeed, type Holding, type OpenedAudio, type Skipping } from '../audio/audio_feed.js';
import type { ConvertText, Platform } from '../platform/platform.js';
import type {
  EngineEvent,
  EngineLink,
  Settings,
  TranscriptionProgress,
} from '../protocol/engine.js';
import { segmentInScript, textInScript } from './chinese_script.js';
import { checkSameAudio, stateOf } from './saved_transcription.js';
import type { EnginePool } from './engine_pool.js';
import type { About, TranscriptionRun } from './transcription.js';
import type { VoiceDetector } from './voice_detector.js';

export interface Task {
  readonly audio: AudioInput | AudioStream;
  readonly settings: Settings;
  readonly options: Options;
  /** To go on from. */
  readonly saved: SavedTranscription | undefined;
  /** Whether silence is left out because the options do not say otherwise. */
  readonly isVadDefault: boolean;
  /** Hears what is read of the audio, too, and passes it on. */
  readonly tap?: ((opened: OpenedAudio) => OpenedAudio) | undefined;
}

export interface Surroundings {
  readonly engine: EngineLink;
  readonly platform: Platform;
  readonly detector: VoiceDetector;
  readonly info: ModelInfo;
  /** Further engines, for chunks. */
  readonly pool: EnginePool;
  /** A number for what an engine is about to transcribe, greater than all before: what a pause is about. */
  readonly nextRun: () => number;
  /** Called when this transcription, whose turn it is, is paused, and when it goes on or ends. */
  readonly holdsUp: (isPaused: boolean) => void;
}

/** What is normalised as a whole is held whole. What was held whole at first is so again. */
function holdingFor(
  { normalization }: Settings,
  { family }: ModelInfo,
  saved: SavedTranscription | undefined,
): Holding {
  if (family !== 'whisper') return 'short';
  if (normalization !== 'window') return 'whole';
  return saved?.sampleCount === undefined ? 'nothing' : 'short';
}

/** How far the detector goes before the model begins. With `'recording'` the loudness of all counts for what is left of it. */
function aheadOf(
  { normalization, compatibility }: Settings,
  { family }: ModelInfo,
): Pick<Skipping, 'mostHeldSeconds' | 'isMeasured'> {
  if (family !== 'whisper' || compatibility === 'openai') {
    return { mostHeldSeconds: Infinity, isMeasured: false };
  }
  return { mostHeldSeconds: 60, isMeasured: normalization === 'recording' };
}

/** Opens the audio, feeds it to the engine and reports to `run`, when the model's turn has come. */
export function runTranscription(
  run: TranscriptionRun,
  { audio, settings: asked, options, saved, isVadDefault, tap }: Task,
  { engine, platform, detector, info, nextRun, holdsUp }: Surroundings,
): Promise<Transcript> {
  return withProgress(transcribing, options, async ({ onProgress }): Promise<Transcript> => {
    const { vad, clipTimestamps: clips, script, ...unclipped } = asked;
    const plain = { ...unclipped, ...(clips && { clipTimestamps: clips }) };
    const loadingScript = beginScript(script, platform);
    let convert: ConvertText | undefined;
    const holding = holdingFor(asked, info, saved);
    const limits = vad === true ? {} : vad || undefined;
    const skipping: Skipping | undefined = limits && {
      clips,
      ...aheadOf(asked, info),
      open: (signal) =>
        detector.open(isVadDefault, (kept) => kept.openSkipper(limits, signal), signal),
    };
    const surroundings = { engine, platform, holding, tap };
    const feed = new AudioFeed(audio, surroundings, skipping);
    const { report, callbackFailed } = reporting(onProgress);
    const { signal, release } = anyOf([options.signal, run.leaving, feed.failed, callbackFailed]);
    let about: About;
    const number = nextRun();
    const onEvent = (event: EngineEvent): void => {
      if (event.type === 'audioWanted') void feed.give(event.sampleCount, number);
      else if (event.type === 'window') {
        const [segments, rejected] = [event.segments, event.rejected].map((list) => {
          const placed = feed.placed(list);
          return convert ? placed.map((segment) => segmentInScript(segment, convert!)) : placed;
        });
        run.add({ ...event, segments: segments ?? [], rejected: rejected ?? [] }, about);
      } else if (event.type === 'modelAwaited') report({ phase: 'wait', loaded: 0 });
      else {
        const progress = placedProgress(event.progress, feed);
        run.reach(progress.loaded);
        report({ phase: 'transcribe', ...progress });
      }
    };
    try {
      run.gate.onChange = holdsUp;
      holdsUp(run.gate.isPaused);
      const opened = await feed.open(signal, report);
      const { samples, isOwn, expectedSeconds, length, loudnessSamples } = opened;
      checkSameAudio(saved, length);
      convert = loadingScript && (await orAborted(loadingScript, signal));
      const settings = feed.isSkipping ? asked : { ...plain, ...(script && { script }) };
      // With silence all else is left out that is in no clip.
      const heardSettings = feed.isSkipping ? unclipped : plain;
      about = { dims: info.dims, settings, ...length };
      if (run.gate.opening) await orAborted(run.gate.opening, signal);
      run.gate.onChange = (isPaused) => {
        holdsUp(isPaused);
        void engine.call('pause', { run: number, isPaused }).catch(() => undefined);
      };
      const heard = await engine.call(
        'transcribe',
        {
          samples,
          settings: { ...heardSettings, ...(loudnessSamples > 0 && { loudnessSamples }) },
          state: saved && stateOf(saved),
          run: number,
          expectedSeconds,
        },
        { signal, onEvent, givesAway: isOwn },
      );
      return {
        ...heard,
        ...(convert && { text: textInScript(heard, run.segments, convert) }),
        duration: feed.duration ?? heard.duration,
        segments: run.segments,
        rejected: run.rejected,
      };
    } catch (error) {
      throw feed.failed.aborted ? feed.failed.reason : error;
    } finally {
      run.gate.onChange = undefined;
      holdsUp(false);
      feed.close();
      release();
    }
  });
}

/** Loads the dictionaries beside other work; who needs them gets the error. */
export function beginScript(
  script: Settings['script'],
  platform: Platform,
): Promise<ConvertText> | undefined {
  const loading = script && platform.loadScript(script);
  loading?.catch(() => undefined);
  return loading;
}

/** Reports to a callback; `callbackFailed` is aborted when it throws. */
export function reporting(onProgress: ((event: PhaseProgress) => void) | undefined): {
  readonly report: (event: PhaseProgress) => void;
  readonly callbackFailed: AbortSignal;
} {
  const failing = new AbortController();
  return {
    report: (event) => {
      try {
        onProgress?.(event);
      } catch {
        // withProgress() has the error, which must not reach the engine.
        failing.abort();
      }
    },
    callbackFailed: failing.signal,
  };
}

/** Progress in seconds of the recording, parts of which may be skipped. */
function placedProgress(progress: TranscriptionProgress, feed: AudioFeed): TranscriptionProgress {
  const { duration } = feed;
  if (duration === undefined) return progress;
  const loaded = feed.timeOf(progress.loaded);
  const isOver = progress.fraction === 1;
  // The length of the recording, or of the stream's file.
  const total = progress.total === undefined ? undefined : Math.max(progress.total, duration);
  if (total === undefined) return { ...progress, loaded };
  const done = isOver ? total : Math.min(loaded, total);
  return { ...progress, loaded: done, total, fraction: total > 0 ? done / total : 1 };
}
