import { parse, usageError } from './arguments.js';
import { listeningArguments, listeningOptions } from './listening_options.js';
import { modelArguments, withWhisper } from './open_model.js';
import { withAudio } from './audio_source.js';
import { readFileBytes } from './file_bytes.js';
import { linesWithWords } from './text_lines.js';
import { outputArguments, TranscriptOutput } from './transcript_output.js';

export const alignArguments = {
  ...modelArguments,
  ...listeningArguments('align'),
  ...outputArguments,
  text: { type: 'string' },
  'text-file': { type: 'string' },
} as const;

export async function alignCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, alignArguments);
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw usageError('align needs one recording');
  const lines = (await textIn(values)).split('\n').flatMap((line) => line.trim() || []);
  const text = lines.join(' ');
  const recording = { file, below: '' };
  const output = new TranscriptOutput(values, {
    recordings: [recording],
    hasWords: true,
    hasTimes: false,
    task: undefined,
    defaultFormat: 'json',
  });
  await output.prepare();
  await withWhisper(values, signal, async (model) => {
    const words = await withAudio(file, { signal }, (audio) =>
      model.align(audio, text, { ...listeningOptions(values, 'align'), signal }),
    );
    await output.write(recording, { text, segments: linesWithWords(lines, words) });
  });
}

async function textIn(values: {
  readonly text?: string;
  readonly 'text-file'?: string;
}): Promise<string> {
  const { text, 'text-file': file } = values;
  if (text !== undefined && file === undefined) return text;
  if (text === undefined && file !== undefined) {
    return new TextDecoder().decode(await readFileBytes(file));
  }
  throw usageError('align needs either --text or --text-file');
}
