// Transcriptions in chunks that the voice detector cuts at pauses: each is transcribed alone, by one of several engines. What comes of
// a chunk depends on its sound and its place alone, never on how many engines there are, nor on which of them fail.
import { transcribing } from '../api/overall_progress.js';
import { withProgress } from '../api/progress_callback.js';
import { hopSamples, sampleRate } from '../api/generated/whisper.js';
import { abortedOr, anyOf, orAborted } from '../api/signals.js';
import type { ModelInfo, Segment, Transcript } from '../api/types.js';
import { isLive } from '../audio/audio_kinds.js';
import { openAudio, lengthOf } from '../audio/audio_feed.js';
import { leave } from '../audio/leave.js';
import { ProgressMeter } from '../engine/progress_meter.js';
import type { Chunked, SilenceSkipper, SpeechChunk } from '../platform/speech.js';
import type {
  EngineCalls,
  EngineEvent,
  EngineLink,
  HeardLanguages,
  Settings,
} from '../protocol/engine.js';
import { segmentInScript } from './chinese_script.js';
import { ChunkLanguages } from './chunk_languages.js';
import { ChunkLanes, type HearingCall } from './chunk_lanes.js';
import {
  beginScript,
  reporting,
  runTranscription,
  type Surroundings,
  type Task,
} from './run_transcription.js';
import type { Queue } from './queue.js';
import { checkSameAudio } from './saved_transcription.js';
import type { TranscriptionRun } from './transcription.js';

/** Whether a call is in chunks follows from what is asked, never from the device. What was begun in chunks goes on so. */
export const isInChunks = ({ audio, settings, saved }: Task, info: ModelInfo): boolean =>
  saved ? saved.chunks !== undefined : !isLive(audio) && isCut(settings, info);

/** Whether recordings are cut into chunks, with these settings. */
export function isCut(
  { vad, compatibility, conditionOnPreviousText, normalization }: CutSettings,
  { family }: Pick<ModelInfo, 'family'>,
): boolean {
  return (
    family === 'whisper' &&
    Boolean(vad) &&
    compatibility !== 'openai' &&
    conditionOnPreviousText !== true &&
    normalization !== 'recording'
  );
}

type CutSettings = Pick<
  Settings,
  'vad' | 'compatibility' | 'conditionOnPreviousText' | 'normalization'
>;

/** How many threads each of several engines uses, of those that one has. */
export const threadsOfEach = (engines: number, threads: number, processors: number): number =>
  Math.max(1, Math.min(threads, Math.floor(processors / engines)));

/** What a call in chunks shares with others that are under way. */
export interface Shared extends Surroundings {
  readonly queue: Queue;
  /** Does work with an engine that is awake. */
  readonly use: (work: () => Promise<Transcript>) => Promise<Transcript>;
}

/** Like runTranscription(), but called before its turn: it has its place in the queue at once, and begins when there is an engine. */
export async function transcribeInChunks(
  run: TranscriptionRun,
  task: Task,
  shared: Shared,
): Promise<Transcript> {
  const { options, isVadDefault } = task;
  const { detector, engine, info, nextRun, platform, pool, queue, use } = shared;
  const { workers = 'auto' } = options;
  const most = workers === 'auto' ? info.workers : workers;
  const { processors } = platform.device();
  const threadsOf = (engines: number) => threadsOfEach(engines, info.threads, processors);
  const lanes: Lanes = new ChunkLanes(
    { engine, queue, pool, most, threadsOfEach: threadsOf(most), gate: run.gate, nextRun },
    [options.signal, run.leaving],
  );
  const { signal } = lanes;
  try {
    return await use(async () => {
      await lanes.begin();
      const { vad, clipTimestamps: clips, script, ...decoding } = task.settings;
      const limits = typeof vad === 'object' ? vad : {};
      const skipper = await detector.open(
        isVadDefault,
        (kept) => kept.openSkipper(limits, signal),
        signal,
      );
      if (skipper) {
        const cut = { skipper, decoding, clips, script, lanes, threadsOf };
        return await transcribeCut(run, task, shared, cut);
      }
      await lanes.takeOwn();
      return await runTranscription(run, task, shared);
    });
  } catch (error) {
    throw abortedOr(options.signal, error);
  } finally {
    await lanes.close();
  }
}

type Lanes = ChunkLanes<HeardWindow, HeardChunk>;

/** A recording that will be cut. */
interface Cut {
  readonly skipper: SilenceSkipper;
  /** Settings without those that say what is heard, and how it is written. */
  readonly decoding: Settings;
  readonly clips: Settings['clipTimestamps'];
  readonly script: Settings['script'];
  readonly lanes: Lanes;
  readonly threadsOf: (engines: number) => number;
}

function transcribeCut(
  run: TranscriptionRun,
  { audio, settings: asked, options, saved, tap }: Task,
  { engine, platform, pool, info }: Surroundings,
  { skipper, decoding, clips, script, lanes, threadsOf }: Cut,
): Promise<Transcript> {
  return withProgress(transcribing, options, async ({ onProgress }): Promise<Transcript> => {
    const loadingScript = beginScript(script, platform);
    const { report, callbackFailed } = reporting(onProgress);
    const { signal, release } = anyOf([lanes.signal, callbackFailed]);
    let chunked: Chunked | undefined;
    try {
      const surroundings = { engine, platform, holding: 'nothing', tap, signal } as const;
      const opened = await openAudio(audio, { ...surroundings, onProgress: report });
      const length = lengthOf(opened);
      const total = 'samples' in opened ? opened.samples.length / sampleRate : opened.duration;
      // From here on the loop over the chunks closes both.
      chunked = skipper.chunks(opened, { clips });
      checkSameAudio(saved, length);
      const convert = loadingScript && (await orAborted(loadingScript, signal));
      const meter = new ProgressMeter(
        total,
        (progress) => report({ phase: 'transcribe', ...progress }),
        run.gate.clock,
      );
      meter.update(saved?.duration ?? 0);
      meter.audioGiven(saved?.duration ?? 0);
      const languages = new ChunkLanguages(decoding, saved?.chunks?.languages);
      const doneCount = saved?.chunks?.count ?? 0;
      let count = doneCount;
      const isDetected = detectsOnce(decoding, info);
      const about = { dims: info.dims, settings: asked, ...length };
      const inScript = (segments: readonly Segment[], firstId: number): Segment[] =>
        segments.map((segment, i) => {
          const numbered = { ...segment, id: firstId + i };
          return convert ? segmentInScript(numbered, convert) : numbered;
        });
      run.untold = () =>
        inScript(
          lanes.untold.flatMap(({ segments }) => segments),
          run.segments.length,
        );
      const tellChunks = (count: number): void => {
        const nothing = { segments: [], rejected: [] };
        const chunks = { count, languages: languages.shares };
        run.add({ ...nothing, state: {}, chunks, languages: languages.found }, about);
      };
      await lanes.run(
        {
          ...{ chunks: chunked.chunks, doneCount },
          isApart: () => !isDetected || languages.told !== undefined,
          hear: (engine, chunk, call) => {
            const request = {
              samples: chunk.samples,
              settings: chunkSettings(
                chunk,
                decoding,
                isDetected ? languages.told : undefined,
                info,
              ),
              state: undefined,
              run: call.run,
              threads: threadsOf(1 + pool.takenCount),
            };
            const onAside = (event: EngineEvent): void => {
              if (event.type === 'modelAwaited') report({ phase: 'wait', loaded: 0 });
              if (event.type === 'progress' && call.isEarliest()) {
                meter.update(chunk.timeOf(event.progress.loaded));
              }
            };
            return hear(engine, chunk, request, { ...call, onAside });
          },
          tellPart: ({ end, segments, rejected, languages: found }) => {
            const [first] = segments;
            // Others need not wait for the rest of the first chunk.
            if (isDetected && first) languages.add({ language: first.language, ...found });
            // Whoever stops amid a chunk goes on with its beginning.
            if (!run.saved) tellChunks(count);
            run.reach(end);
            run.add(
              {
                segments: inScript(segments, run.segments.length),
                rejected: inScript(rejected, run.rejected.length),
                state: undefined,
                languages: languages.foundWith(found),
              },
              about,
            );
            meter.update(end);
          },
          tell: ({ end, answer }) => {
            languages.add(answer);
            run.reach(end);
            tellChunks(++count);
            meter.update(end);
          },
        },
        signal,
      );
      const duration = chunked.sampleCount / sampleRate;
      meter.finish(duration);
      return {
        text: run.segments.map(({ text }) => text).join(''),
        language: languages.main,
        ...languages.found,
        duration,
        chunkCount: count,
        segments: run.segments,
        rejected: run.rejected,
      };
    } finally {
      run.untold = undefined;
      if (chunked) leave(chunked.chunks);
      else skipper.close();
      release();
    }
  });
}

type Request = EngineCalls['transcribe']['request'];

/** What comes of a window, with the recording's times, up to `end` in seconds. */
interface HeardWindow {
  readonly end: number;
  readonly segments: readonly Segment[];
  readonly rejected: readonly Segment[];
  readonly languages: HeardLanguages;
}

/** A chunk whose windows are heard. */
interface HeardChunk {
  readonly end: number;
  readonly answer: EngineCalls['transcribe']['answer'];
}

interface Hearing extends HearingCall<HeardWindow> {
  /** Gets the events that are no window. */
  readonly onAside: (event: EngineEvent) => void;
}

async function hear(
  engine: EngineLink,
  chunk: SpeechChunk,
  request: Request,
  { onPart, onAside, signal }: Hearing,
): Promise<HeardChunk> {
  const onEvent = (event: EngineEvent): void => {
    if (event.type !== 'window') {
      onAside(event);
      return;
    }
    const [segments, rejected] = [event.segments, event.rejected].map((list) =>
      list.map((segment) => chunk.placed(segment)),
    ) as [Segment[], Segment[]];
    const end = segments.at(-1)?.end ?? chunk.start;
    onPart({ end, segments, rejected, languages: event.languages });
  };
  const answer = await engine.call('transcribe', request, { signal, onEvent });
  return { end: chunk.end, answer };
}

/** Whether the language of the first chunk is that of all. */
export const detectsOnce = ({ language = 'auto' }: Settings, { languages }: ModelInfo): boolean =>
  language === 'auto' && languages.length > 1;

const mostSeed = Number.MAX_SAFE_INTEGER;

/** Whether the encoder may leave out what is empty in a window. It costs no words in English, and some in other languages. */
const isShort = (samples: number, language: string | undefined, info: ModelInfo): boolean =>
  samples <= 2 * (info.dims?.nAudioCtx ?? 0) * hopSamples &&
  (language === 'en' || info.languages.length <= 1);

/** What an engine is told about a chunk. `told`: the language that was detected in those before. */
export function chunkSettings(
  { start, samples }: SpeechChunk,
  settings: Settings,
  told: string | undefined,
  info: ModelInfo,
): Settings {
  const { seed = 0 } = settings;
  // Chunks draw apart from each other, as windows do.
  const place = Math.round(start * sampleRate);
  return {
    ...(isShort(samples.length, told ?? settings.language, info) && { encoderContext: 'auto' }),
    ...settings,
    ...(told !== undefined && { language: told }),
    normalization: 'window',
    seed: seed > mostSeed - place ? seed - (mostSeed - place) - 1 : seed + place,
  };
}
