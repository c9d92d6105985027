// One recording transcribed, and how fast that was.
import type { AnyTranscribeOptions, MemoryFacts, Model, Segment, Transcript } from '../src/node.js';
import { transcribing, type PhaseProgress } from '../src/api/overall_progress.js';
import { withProgress } from '../src/api/progress_callback.js';
import { labelOf, withAudio } from './audio_source.js';
import { languageName } from './language_name.js';
import { printable } from './terminal.js';

export interface Heard {
  readonly result: Transcript;
  /** Wall time, with reading and decoding the file. */
  readonly seconds: number;
  /** Which engine and weights, and their memory. */
  readonly engine: string;
  /** Notes that were not printed during the transcription: lines. */
  readonly notes: readonly string[];
}

/**
 * `onSegment` gets each segment when it is done. `memory`: where it is known, since the model tells it in its turn, behind other
 * recordings. Errors name the file.
 */
export async function hear(
  model: Model,
  file: string,
  options: AnyTranscribeOptions & { readonly signal: AbortSignal },
  onSegment?: (segment: Segment) => void,
  onNote?: (line: string) => void,
  memory?: Promise<MemoryFacts>,
): Promise<Heard> {
  const { signal } = options;
  const notes: string[] = [];
  const note = onNote ?? ((line: string) => notes.push(line));
  const isDetected =
    model.info.multilingual && /^(auto|per-window)$/.test(options.language ?? 'auto');
  let language = '';
  let duration: number | undefined;
  const begun = performance.now();
  // One bar for a download and the transcription of what arrives.
  const result = await withProgress(transcribing, options, (watched) =>
    withAudio(
      file,
      {
        signal,
        onNote: note,
        ...(watched.onProgress && { onProgress: watched.onProgress }),
        onDuration: (seconds) => (duration = seconds),
      },
      async (audio) => {
        const started = performance.now();
        const report = (event: PhaseProgress): void => {
          watched.onProgress?.(withDuration(event, duration, (performance.now() - started) / 1000));
        };
        const work = model.transcribe(audio, {
          ...watched,
          ...(watched.onProgress && { onProgress: report }),
        });
        for await (const segment of work) {
          if (isDetected && segment.language !== language) {
            const isFirst = language === '';
            const { languageProbability } = work.soFar;
            note(languageLine(file, segment, isFirst, languageProbability));
            ({ language } = segment);
          }
          onSegment?.(segment);
        }
        return await work;
      },
    ),
  );
  const seconds = (performance.now() - begun) / 1000;
  const { wasmBytes } = await (memory ?? model.memory());
  const { variant, dtypes } = model.info;
  const taken = `memory ${(wasmBytes / 2 ** 20).toFixed(1)} MiB`;
  return {
    result,
    seconds,
    notes,
    engine: `engine ${variant}, weights ${dtypes.join(' and ')}, ${taken}`,
  };
}

/** Which language was found first, or where another one begins. */
function languageLine(
  file: string,
  { language, start }: Segment,
  isFirst: boolean,
  probability: number | undefined,
): string {
  const found = isFirst ? 'detected language' : `from ${start.toFixed(1)} s on`;
  const sureness = isFirst && probability !== undefined ? ` (${probability.toFixed(2)})` : '';
  return `${printable(`${labelOf(file)}: ${found}: ${languageName(language)}${sureness}`)}\n`;
}

/** Progress through a stream whose length is known here, after so many seconds of work. */
export function withDuration(
  event: PhaseProgress,
  duration: number | undefined,
  seconds: number,
): PhaseProgress {
  const { phase, loaded, fraction } = event;
  if (phase !== 'transcribe' || fraction !== undefined || !duration || loaded <= 0) return event;
  const total = Math.max(duration, loaded);
  const remainingSeconds = ((total - loaded) * seconds) / loaded;
  return { ...event, total, fraction: loaded / total, remainingSeconds };
}

export function statsLine({ result: { duration }, seconds, engine }: Heard): string {
  const factor = duration > 0 ? (seconds / duration).toPrecision(2) : 'unknown';
  const times = `${duration.toFixed(1)} s of audio in ${seconds.toFixed(2)} s`;
  return `real-time factor ${factor} (${times}; ${engine})\n`;
}

/** `talk.mp3: 61.2 s in 2.10 s, 29 × real time` */
export function fileLine(file: string, { result: { duration }, seconds }: Heard): string {
  const speed = seconds > 0 ? `, ${Number((duration / seconds).toPrecision(2))} × real time` : '';
  return `${printable(labelOf(file))}: ${duration.toFixed(1)} s in ${seconds.toFixed(2)} s${speed}\n`;
}
