import type {
  AudioInput,
  AudioStream,
  ModelInfo,
  ProgressEvent,
  ResumeOptions,
  SavedTranscription,
  Transcript,
} from '../api/types.js';
import { withProgress } from '../api/progress_callback.js';
import { anyOf, orAborted } from '../api/signals.js';
import { AudioFeed, type Holding } from '../audio/audio_feed.js';
import type { Platform } from '../platform/platform.js';
import type { EngineEvent, EngineLink, Settings } from '../protocol/engine.js';
import { checkSameAudio, stateOf } from './saved_transcription.js';
import type { About, TranscriptionRun } from './transcription.js';

interface Task {
  readonly audio: AudioInput | AudioStream;
  readonly settings: Settings;
  readonly options: ResumeOptions;
  /** To go on from. */
  readonly saved: SavedTranscription | undefined;
  /** Which of the engine's transcriptions this is: what a pause is about. */
  readonly number: number;
}

interface Surroundings {
  readonly engine: EngineLink;
  readonly platform: Platform;
  readonly dims: ModelInfo['dims'];
}

/** The reference hears whole recordings; else long ones may come as they are asked for. */
function holdingFor({ normalisation, compatibility }: Settings): Holding {
  if (normalisation === 'window') return 'nothing';
  return normalisation === 'file' || compatibility === 'openai' ? 'whole' : 'short';
}

/** Opens the audio, feeds it to the engine and reports to `run`, when the model's turn has come. */
export function runTranscription(
  run: TranscriptionRun,
  { audio, settings, options, saved, number }: Task,
  { engine, platform, dims }: Surroundings,
): Promise<Transcript> {
  return withProgress(options, async ({ onProgress }: ResumeOptions): Promise<Transcript> => {
    const feed = new AudioFeed(audio, { engine, platform, holding: holdingFor(settings) });
    const callbackFailed = new AbortController();
    const { signal, release } = anyOf([
      options.signal,
      run.leaving,
      feed.failed,
      callbackFailed.signal,
    ]);
    const report = (event: ProgressEvent): void => {
      try {
        onProgress?.(event);
      } catch {
        // withProgress() has the error, which must not reach the engine.
        callbackFailed.abort();
      }
    };
    let about: About;
    const onEvent = (event: EngineEvent): void => {
      if (event.type === 'audioWanted') void feed.give(event.sampleCount);
      else if (event.type === 'window') run.add(event, about);
      else if (event.type === 'modelAwaited') report({ phase: 'wait', loaded: 0 });
      else {
        run.reach(event.progress.loaded);
        report({ phase: 'transcribe', ...event.progress });
      }
    };
    try {
      const { samples, isOwn, expectedSeconds } = await feed.open(signal, report);
      checkSameAudio(saved, samples);
      about = {
        dims,
        settings: samples ? settings : { ...settings, normalisation: 'window' },
        ...(samples && { sampleCount: samples.length }),
      };
      if (run.gate.opening) await orAborted(run.gate.opening, signal);
      run.gate.onChange = (isPaused) =>
        void engine.call('pause', { run: number, isPaused }).catch(() => undefined);
      const heard = await engine.call(
        'transcribe',
        {
          samples,
          settings: about.settings,
          state: saved && stateOf(saved),
          run: number,
          expectedSeconds,
        },
        { signal, onEvent, givesAway: isOwn },
      );
      return { ...heard, segments: run.segments, rejected: run.rejected };
    } catch (error) {
      throw feed.failed.aborted ? feed.failed.reason : error;
    } finally {
      run.gate.onChange = undefined;
      feed.close();
      release();
    }
  });
}
