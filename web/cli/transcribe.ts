import type { Model, TranscribeOptions, TranscriptionResult } from '../src/node.js';
import { format } from '../src/node.js';
import { parse, usageError } from './arguments.js';
import { explain } from './explanation.js';
import { listeningArguments, listeningOptions } from './listening_options.js';
import { modelArguments, withModel } from './open_model.js';
import { ProgressBar } from './progress_bar.js';
import { withAudio } from './recordings.js';
import { forEachFile } from './several_files.js';
import { print, tell } from './terminal.js';
import { outputArguments, TranscriptOutput } from './transcript_output.js';

export async function transcribeCommand(
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { values, positionals: files } = parse(args, {
    ...modelArguments,
    ...listeningArguments('transcribe'),
    ...outputArguments,
    stats: { type: 'boolean' },
    verbose: { type: 'boolean' },
  });
  if (files.length === 0) throw usageError('transcribe wants at least one audio file');
  const options: TranscribeOptions = { ...listeningOptions(values, 'transcribe'), signal };
  const output = new TranscriptOutput(values, {
    recordings: files,
    hasWords: options.timestamps === 'word',
    task: options.task,
    defaultFormat: 'txt',
  });
  await output.prepare();
  await withModel(values, signal, async (model) => {
    await forEachFile(files, signal, async (file) => {
      if (files.length > 1 && output.isText) tell(`${file}\n`);
      const begun = performance.now();
      const result = await transcribeFile(model, file, options, output.isText);
      const written = output.isText ? [] : await output.write(file, result);
      if (values.verbose) for (const path of written) tell(`wrote ${path}\n`);
      if (values.verbose || values.stats) {
        tell(explain(result, values.verbose ?? false));
      }
      if (values.stats) await tellStats(model, result.duration, performance.now() - begun);
    }).finally(() => output.finish());
  });
}

/** With `isShown`, prints each segment's text as it comes. */
function transcribeFile(
  model: Model,
  file: string,
  options: TranscribeOptions,
  isShown: boolean,
): Promise<TranscriptionResult> {
  return withAudio(file, async (bytes) => {
    const bar = new ProgressBar(file);
    const work = model.transcribe(bytes, { ...options, onProgress: bar.update });
    try {
      for await (const segment of work) {
        if (!isShown) continue;
        bar.clear();
        print(format({ segments: [segment] }, 'txt'));
      }
      return await work;
    } finally {
      bar.clear();
    }
  });
}

async function tellStats(model: Model, duration: number, milliseconds: number): Promise<void> {
  const seconds = milliseconds / 1000;
  const factor = duration > 0 ? (seconds / duration).toPrecision(2) : 'unknown';
  const { wasmBytes } = await model.memory();
  const { variant, dtypes } = model.info;
  tell(
    `real-time factor ${factor} (${duration.toFixed(1)} s of audio in ${seconds.toFixed(2)} s; ` +
      `engine ${variant}, weights ${dtypes.join(' and ')}, memory ${(wasmBytes / 2 ** 20).toFixed(1)} MiB)\n`,
  );
}
