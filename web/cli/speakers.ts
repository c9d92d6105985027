import type { FoundSpeakers, SpeakerCount } from '../src/node_speakers.js';
import { formatTurns, loadSpeakerFinder } from '../src/node_speakers.js';
import { asNumber, choice, parse, usageError } from './arguments.js';
import { labelOf, stemOf, withAudio } from './audio_source.js';
import { ProgressBar } from './progress_bar.js';
import { FileReports, forEachFile } from './several_files.js';
import { print, tell } from './terminal.js';

/** For parse(): how many people speak. */
export const speakerArguments = { speakers: { type: 'string' } } as const;

export const speakersArguments = {
  ...speakerArguments,
  variant: { type: 'string' },
  vectors: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** `auto`, `3` or `2-5`. */
export function speakerCount(text: string): SpeakerCount {
  if (text === 'auto') return {};
  const [, min, max] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  if (min !== undefined && max !== undefined) return { min: Number(min), max: Number(max) };
  return { count: asNumber(text, 'speakers') };
}

export async function speakersCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals: files } = parse(args, speakersArguments);
  if (files.length === 0) throw usageError('speakers needs at least one recording');
  if (values.vectors && !values.json) throw usageError('--vectors needs --json', 'vectors');
  const variant = choice('variant', values.variant, ['simd', 'relaxed']);
  const count = speakerCount(values.speakers ?? 'auto');
  const reports = new FileReports(files.map(labelOf), true);
  const finder = await loadSpeakerFinder({ signal, ...(variant && { variant }) });
  try {
    await forEachFile(files, signal, async (file) => {
      const bar = new ProgressBar(labelOf(file));
      const onNote = (line: string): void => {
        bar.clear();
        tell(line);
      };
      const options = {
        ...count,
        vectors: values.vectors ?? false,
        signal,
        onProgress: bar.update,
      };
      const found: FoundSpeakers = await withAudio(file, { signal, onNote }, (audio) =>
        finder.find(audio, options),
      ).finally(() => bar.clear());
      // RTTM names the recording in each line.
      if (values.json) reports.add(labelOf(file), found, '');
      else print(formatTurns(found, stemOf(file)));
    });
  } finally {
    finder.dispose();
    if (values.json) reports.finish();
  }
}
