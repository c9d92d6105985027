// Transcribes a recording, segment by segment into a document.
import type { Model, Transcript } from '../../src/index.js';
import type { SpeakerOptions } from '../../src/speakers.js';
import type { Pausing } from '../files/pausing.js';
import type { Place } from '../files/recording_queue.js';
import { duration } from '../shell/format.js';
import { strings } from '../strings.js';
import { shortClock } from './short_clock.js';
import { languageName, type ListeningOptions } from './listening_options.js';
import type { TranscriptDocument } from './transcript_document.js';

interface Parts {
  readonly listening: ListeningOptions;
  /** What tells the speakers apart. */
  readonly speakers: SpeakerOptions | undefined;
  /** That failed before there was any text; it goes on without them. */
  readonly onSpeakersFailed: (error: unknown) => void;
  readonly onPart: (part: number, remainingSeconds?: number, place?: Place) => void;
  readonly pausing: Pausing;
}

/** Returns the seconds of the recording and of the work, pauses left out. If it is stopped or fails, the document ends there and keeps its text. */
export async function hearSpeech(
  model: Model,
  file: File,
  signal: AbortSignal,
  document: TranscriptDocument,
  { listening, speakers, onSpeakersFailed, onPart, pausing }: Parts,
): Promise<{ readonly audio: number; readonly work: number }> {
  const began = performance.now();
  const { task, value: options, speakers: asked } = listening;
  let end = '';
  const stoppedAt = (): string => {
    const heard = document.segments.at(-1)?.end;
    return heard === undefined
      ? strings.transcript.stopped
      : strings.transcript.stoppedAt(shortClock(heard), end);
  };
  const hear = async (speakers?: SpeakerOptions): Promise<Transcript> => {
    const work = model.transcribe(file, {
      ...options,
      ...(speakers && { speakers }),
      signal,
      onProgress: ({ phase, loaded, total, overall, remainingSeconds }) => {
        const place =
          phase === 'transcribe' && total !== undefined ? { heard: loaded, total } : undefined;
        if (place) end = shortClock(place.total);
        if (!signal.aborted) onPart(overall, remainingSeconds, place);
      },
    });
    pausing.hold(work);
    for await (const segment of work) {
      signal.throwIfAborted();
      document.noteSoFar = strings.transcript.stoppedAt(shortClock(segment.end), end);
      document.add(segment);
    }
    return work;
  };
  try {
    const result = await hear(speakers).catch((error: unknown) => {
      if (!speakers || signal.aborted || document.segments.length > 0) throw error;
      onSpeakersFailed(error);
      return hear();
    });
    const seconds = (performance.now() - began) / 1000 - pausing.seconds;
    const facts = [
      duration(result.duration),
      languageName(result.language),
      ...(task === 'translate' ? [strings.transcript.translated] : []),
      ...(asked && !result.speakers ? [strings.speakers.noteNotTold] : []),
    ];
    document.finish(result, facts.filter((fact) => fact !== '').join(' · '));
    return { audio: result.duration, work: seconds };
  } catch (error) {
    document.interrupt(signal.aborted ? stoppedAt() : strings.transcript.failed);
    throw error;
  }
}
