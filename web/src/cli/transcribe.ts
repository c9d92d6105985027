import { readFile } from 'node:fs/promises';
import { loadModel, SusurrusError } from '../node.js';
import type { Model, TranscribeOptions, TranscriptionResult } from '../node.js';
import { choice, parse, usageError } from './arguments.js';
import { ProgressBar } from './progress_bar.js';
import { toReferenceJson } from './reference_json.js';
import { embeddedModelNote } from './usage.js';

interface Task {
  readonly model: Model;
  readonly options: TranscribeOptions;
  readonly format: 'txt' | 'json';
  readonly hasStats: boolean;
}

export async function transcribeCommand(
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { values, positionals: files } = parse(args, {
    model: { type: 'string' },
    language: { type: 'string' },
    timestamps: { type: 'string' },
    format: { type: 'string' },
    variant: { type: 'string' },
    temperature: { type: 'string' },
    compatibility: { type: 'string' },
    stats: { type: 'boolean' },
  });
  if (files.length === 0) throw usageError('transcribe wants at least one audio file');
  const format = choice('format', values.format, ['txt', 'json']) ?? 'txt';
  const timestamps = choice('timestamps', values.timestamps, ['segment', 'none']);
  const variant = choice('variant', values.variant, ['simd', 'relaxed']);
  const compatibility = choice('compatibility', values.compatibility, ['openai']);
  if (values.temperature !== undefined && Number(values.temperature) !== 0) {
    throw usageError(`--temperature is 0, not '${values.temperature}'`, 'temperature');
  }

  if (values.model === undefined) process.stderr.write(embeddedModelNote);
  const bar = new ProgressBar('loading');
  const model = await loadModel(values.model, {
    signal,
    onProgress: bar.update,
    ...(variant && { variant }),
  }).finally(() => bar.clear());
  for (const warning of model.info.warnings) process.stderr.write(`susurrus: ${warning}\n`);
  try {
    const task: Task = {
      model,
      options: {
        signal,
        ...(values.language !== undefined && { language: values.language }),
        ...(timestamps && { timestamps }),
        ...(compatibility && { compatibility }),
      },
      format,
      hasStats: values.stats ?? false,
    };
    const results: object[] = [];
    for (const file of files) {
      const result = await transcribeFile(file, task, files.length > 1);
      results.push(
        files.length > 1 ? { file, ...toReferenceJson(result) } : toReferenceJson(result),
      );
    }
    if (format === 'json') {
      process.stdout.write(`${JSON.stringify(files.length > 1 ? results : results[0], null, 2)}\n`);
    }
  } finally {
    model.dispose();
  }
}

async function transcribeFile(
  file: string,
  task: Task,
  isOneOfMany: boolean,
): Promise<TranscriptionResult> {
  const bytes = await readAudio(file);
  if (isOneOfMany && task.format === 'txt') process.stderr.write(`${file}\n`);
  const bar = new ProgressBar(file);
  const begun = performance.now();
  const work = task.model.transcribe(bytes, { ...task.options, onProgress: bar.update });
  try {
    for await (const segment of work) {
      if (task.format !== 'txt') continue;
      bar.clear();
      process.stdout.write(`${segment.text.trim()}\n`);
    }
  } catch (error) {
    throw inFile(file, error);
  } finally {
    bar.clear();
  }
  const result = await work;
  if (task.hasStats) await tellStats(task.model, result.duration, performance.now() - begun);
  return result;
}

async function readAudio(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const problem = isAbsent ? 'there is no such file' : String(error);
    throw new SusurrusError('source_failed', `${file}: ${problem}`, {
      reason: 'source',
      subject: file,
    });
  }
}

function inFile(file: string, error: unknown): unknown {
  if (!(error instanceof SusurrusError) || error.details.reason === 'option') return error;
  return new SusurrusError(error.code, `${file}: ${error.message}`, error.details, error.cause);
}

async function tellStats(model: Model, duration: number, milliseconds: number): Promise<void> {
  const seconds = milliseconds / 1000;
  const factor = duration > 0 ? (seconds / duration).toPrecision(2) : 'unknown';
  const { wasmBytes } = await model.memory();
  const { variant, dtypes } = model.info;
  process.stderr.write(
    `real-time factor ${factor} (${duration.toFixed(1)} s of audio in ${seconds.toFixed(2)} s; ` +
      `engine ${variant}, weights ${dtypes.join(' and ')}, memory ${(wasmBytes / 2 ** 20).toFixed(1)} MiB)\n`,
  );
}
