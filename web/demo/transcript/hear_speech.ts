import type { Model } from '../../src/index.js';
import type { ExportBar } from './export_bar.js';
import { duration } from '../shell/format.js';
import { languageName, type ListeningOptions } from './listening_options.js';
import type { StatusView } from '../shell/status_view.js';
import type { TranscriptView } from './transcript_view.js';

interface Views {
  readonly listening: ListeningOptions;
  readonly status: StatusView;
  readonly transcript: TranscriptView;
  readonly exports: ExportBar;
}

/** Transcribes a recording, segment by segment into the page. Answers its seconds, and those of the work; undefined when stopped. */
export async function hearSpeech(
  model: Model,
  file: File,
  signal: AbortSignal,
  { listening, status, transcript, exports }: Views,
): Promise<{ readonly audio: number; readonly work: number } | undefined> {
  transcript.start(file.name);
  exports.offer(undefined);
  const began = performance.now();
  const { task } = listening;
  const work = model.transcribe(file, {
    ...listening.value,
    signal,
    onProgress: ({ fraction, remainingSeconds }) => {
      if (!signal.aborted && fraction !== undefined) status.progress(fraction, remainingSeconds);
    },
  });
  for await (const segment of work) {
    if (signal.aborted) return undefined;
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
  return { audio: result.duration, work: seconds };
}
