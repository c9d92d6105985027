import type { Model, Segment, AnyTranscribeOptions } from '../src/node.js';
import { SusurrusError } from '../src/node.js';
import { asNumber, numberOrAuto, parse, usageError } from './arguments.js';
import { labelOf } from './audio_source.js';
import { explain } from './explanation.js';
import { fileLine, hear, statsLine } from './heard.js';
import type { Heard } from './heard.js';
import { runJobs } from './job_pool.js';
import {
  listeningArguments,
  listeningOptions,
  vadArguments,
  vadOption,
} from './listening_options.js';
import { modelArguments, requestModel, withModel } from './open_model.js';
import { temperatureList } from './openai_flags.js';
import { ProgressBar } from './progress_bar.js';
import { recordingsIn } from './recordings.js';
import type { Recording } from './recordings.js';
import { forEachFile, isRefusedOption, tellError } from './several_files.js';
import { tell } from './terminal.js';
import { speakerArguments, speakerCount } from './speakers.js';
import { outputArguments, TranscriptOutput } from './transcript_output.js';

const mostJobs = 256;

export const transcribeArguments = {
  ...modelArguments,
  ...listeningArguments('transcribe'),
  ...outputArguments,
  ...vadArguments,
  ...speakerArguments,
  'temperature-increment-on-fallback': { type: 'string' },
  jobs: { type: 'string' },
  workers: { type: 'string' },
  'skip-existing': { type: 'boolean' },
  stats: { type: 'boolean' },
  verbose: { type: 'boolean' },
} as const;

export async function transcribeCommand(
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { values, positionals: paths } = parse(args, transcribeArguments);
  if (paths.length === 0) throw usageError('transcribe needs at least one recording');
  const increment = values['temperature-increment-on-fallback'];
  const heard = { ...values, ...(increment !== undefined && fallbackOf(values, increment)) };
  const listening = listeningOptions(heard, 'transcribe');
  const vad = vadOption(values);
  const workers = values.workers === undefined ? undefined : numberOrAuto(values, 'workers');
  const speakers = values.speakers === undefined ? undefined : speakerCount(values.speakers);
  const options: AnyTranscribeOptions = {
    ...listening,
    ...(speakers && { speakers }),
    ...(vad !== undefined && { vad }),
    ...(workers !== undefined && { workers }),
  };
  const jobs = values.jobs === undefined ? undefined : asJobs(values.jobs);
  const recordings = await recordingsIn(paths);
  const output = new TranscriptOutput(values, {
    recordings,
    hasWords: options.timestamps === 'word' || (speakers !== undefined && !options.timestamps),
    hasTimes: options.timestamps === 'segment' || options.timestamps === 'word',
    task: options.task,
    defaultFormat: 'txt',
  });
  if (values['skip-existing'] && !output.isFiles)
    throw usageError('--skip-existing needs --output-dir or --beside');
  await output.prepare();
  const due = values['skip-existing'] ? await withoutTranscript(recordings, output) : recordings;
  if (due.length === 0) return;

  const isMany = recordings.length > 1;
  const hasLines = jobs !== undefined || (isMany && output.isFiles);
  const tellName = ({ file }: Recording): void => {
    if (isMany && output.isText) tell(`${labelOf(file)}\n`);
  };
  const tellHeard = ({ file }: Recording, heard: Heard, written: readonly string[]): void => {
    for (const line of heard.notes) tell(line);
    if (values.verbose) for (const path of written) tell(`wrote ${path}\n`);
    if (values.verbose || values.stats) tell(explain(heard.result, values.verbose ?? false));
    if (hasLines) tell(fileLine(file, heard));
    if (values.stats) tell(statsLine(heard));
  };

  if (jobs === undefined) {
    await withModel(values, signal, (model) =>
      forEachFile(due, signal, async (recording) => {
        tellName(recording);
        // Speakers are known at the end.
        const isShownEarly = output.isText && speakers === undefined;
        const onSegment = isShownEarly ? (each: Segment) => output.show([each]) : undefined;
        const heard = await hearHere(model, recording.file, { ...options, signal }, onSegment);
        const written = isShownEarly ? [] : await output.write(recording, heard.result);
        tellHeard(recording, heard, written);
      }).finally(() => output.finish()),
    );
    return;
  }

  const model = await requestModel(values, signal, '1');
  const statuses: number[] = [];
  const deliver = async (at: number, outcome: Heard | SusurrusError): Promise<void> => {
    const recording = due[at];
    if (!recording) return;
    try {
      if (outcome instanceof SusurrusError) throw outcome;
      tellName(recording);
      tellHeard(recording, outcome, await output.write(recording, outcome.result));
    } catch (error) {
      statuses[at] = tellError(error);
    }
  };
  const settle = output.isFiles ? deliver : inOrder(deliver);
  const files = due.map(({ file }) => file);
  try {
    await runJobs({
      count: jobs,
      model,
      options,
      files,
      signal,
      settle: async (at, outcome) => {
        if (outcome instanceof SusurrusError && isRefusedOption(outcome)) throw outcome;
        await settle(at, outcome);
      },
    });
  } finally {
    output.finish();
  }
  process.exitCode ??= statuses.find((status) => status > 0);
}

/** --temperature as a list. */
function fallbackOf(values: Readonly<Record<string, unknown>>, increment: string) {
  const { temperature } = values;
  const first = typeof temperature === 'string' ? temperature : undefined;
  return { temperature: temperatureList(first, increment) };
}

function asJobs(text: string): number {
  const count = asNumber(text, 'jobs');
  if (Number.isInteger(count) && count >= 1 && count <= mostJobs) return count;
  throw usageError(`--jobs is a whole number from 1 to ${mostJobs}, not '${text}'`, 'jobs');
}

async function withoutTranscript(
  recordings: readonly Recording[],
  output: TranscriptOutput,
): Promise<readonly Recording[]> {
  const due: Recording[] = [];
  for (const each of recordings) if (!(await output.isWritten(each))) due.push(each);
  const done = recordings.length - due.length;
  if (done > 0) tell(`${done} of ${recordings.length} recordings have their transcript already\n`);
  return due;
}

/** With a bar, which makes room for `onSegment`. */
async function hearHere(
  model: Model,
  file: string,
  options: AnyTranscribeOptions & { readonly signal: AbortSignal },
  onSegment?: (segment: Segment) => void,
): Promise<Heard> {
  const bar = new ProgressBar(labelOf(file));
  const show = (segment: Segment): void => {
    bar.clear();
    onSegment?.(segment);
  };
  const note = (line: string): void => {
    bar.clear();
    tell(line);
  };
  const work = hear(model, file, { ...options, onProgress: bar.update }, onSegment && show, note);
  return work.finally(() => bar.clear());
}

/** Keeps what comes before its turn. */
function inOrder<T>(
  deliver: (at: number, outcome: T) => Promise<void>,
): (at: number, outcome: T) => Promise<void> {
  const kept = new Map<number, T>();
  let turn = 0;
  return async (at, outcome) => {
    kept.set(at, outcome);
    for (let next = kept.get(turn); next !== undefined; next = kept.get(turn)) {
      kept.delete(turn);
      await deliver(turn++, next);
    }
  };
}
