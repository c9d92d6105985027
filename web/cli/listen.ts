// susurrus listen: captions of what comes on stdin, while it comes.
import {
  languageNames,
  type AnyLiveOptions,
  type LiveEvent,
  type LiveLag,
  type LiveLanguage,
  type LiveRevision,
  type LiveSpeakers,
  type LiveTranscription,
  type Model,
} from '../src/node.js';
import { asNumber, choice, orNone, parse, usageError } from './arguments.js';
import { CaptionScreen } from './caption_screen.js';
import {
  listeningArguments,
  listeningOptions,
  vadArguments,
  vadOption,
} from './listening_options.js';
import { modelArguments, withModel } from './open_model.js';
import { speakerArguments, speakerCount } from './speakers.js';
import { readSound } from './stdin_samples.js';
import { print, printJson, tell } from './terminal.js';

const usualRate = 16000;
/** Seconds of audio that are read ahead of the model; a recorder drops samples that stay unread. */
const mostAhead = 30;

const liveArguments = {
  rate: { type: 'string' },
  policy: { type: 'string' },
  step: { type: 'string' },
  'max-lag': { type: 'string' },
  revise: { type: 'boolean' },
  ...speakerArguments,
  ...vadArguments,
  json: { type: 'boolean' },
  verbose: { type: 'boolean' },
} as const;

export const listenArguments = {
  ...modelArguments,
  ...listeningArguments('stream'),
  ...liveArguments,
} as const;

type LiveValues = Readonly<Record<string, unknown>> & {
  readonly [
    Name in keyof typeof liveArguments
  ]?: (typeof liveArguments)[Name]['type'] extends 'string' ? string : boolean;
};

export async function listenCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, listenArguments);
  if (positionals.length > 0) throw usageError('listen takes samples on stdin, no files');
  const options = liveOptions(values);
  const rate = values.rate === undefined ? undefined : asNumber(values.rate, 'rate');
  const show = values.json === true ? printEvents : printCaptions;
  await withModel(values, signal, async (model) => {
    const hears = new StdinListener(model, options, rate, signal);
    await hears.run((live) => show(live, values.verbose === true));
  });
}

/** What model.stream() gets, of what was given. */
export function liveOptions(values: LiveValues): AnyLiveOptions {
  const { step, 'max-lag': maxLag, revise, speakers } = values;
  const hasVad = vadOption(values);
  const policy = choice('policy', values.policy, ['attention', 'agreement']);
  return {
    ...listeningOptions(values, 'stream'),
    ...(policy && { policy }),
    ...(step !== undefined && { step: asNumber(step, 'step') }),
    ...(maxLag !== undefined && {
      maxLag: orNone(asNumber)(maxLag, 'max-lag') as number | null,
    }),
    ...(revise === true && { revise }),
    ...(speakers !== undefined && { speakers: speakerCount(speakers) }),
    ...(hasVad !== undefined && { vad: hasVad }),
  };
}

/** Feeds a stream until stdin ends or the user interrupts; either way the pending text is printed. */
class StdinListener {
  readonly #model: Model;
  readonly #options: AnyLiveOptions;
  readonly #rate: number | undefined;
  readonly #signal: AbortSignal;

  constructor(
    model: Model,
    options: AnyLiveOptions,
    rate: number | undefined,
    signal: AbortSignal,
  ) {
    this.#model = model;
    this.#options = options;
    this.#rate = rate;
    this.#signal = signal;
  }

  async run(show: (live: LiveTranscription) => Promise<void>): Promise<void> {
    // Before anything is read, so that a model that does not stream is rejected at once.
    let live = this.#begin(this.#rate ?? usualRate);
    const sound = await this.#untilInterrupted(readSound(process.stdin));
    if (sound?.sampleRate !== undefined) {
      if (this.#rate !== undefined && this.#rate !== sound.sampleRate) {
        throw usageError(
          `--rate is ${this.#rate}, but the WAV file on stdin has ${sound.sampleRate}; leave --rate out`,
          'rate',
        );
      }
      if (sound.sampleRate !== usualRate) {
        await live.close();
        live = this.#begin(sound.sampleRate);
      }
    }
    const shown = show(live);
    // The loop over the events tells what goes wrong, also while nothing comes on stdin.
    const failed = new Promise<never>((_, fail) => void shown.catch(fail));
    failed.catch(() => undefined);
    try {
      if (sound) await Promise.race([this.#feed(live, sound.samples), failed]);
      await live.close();
    } catch (error) {
      await live.close().catch(() => undefined);
      process.stdin.destroy();
      throw error;
    }
    await shown;
  }

  #begin(sampleRate: number): LiveTranscription {
    return this.#model.stream({ ...this.#options, sampleRate });
  }

  async #feed(
    live: LiveTranscription,
    sound: AsyncIterable<Int16Array | Float32Array>,
  ): Promise<void> {
    const pieces = sound[Symbol.asyncIterator]();
    for (;;) {
      const step = await this.#untilInterrupted(pieces.next());
      if (!step || step.done) return;
      const heard = live.feed(step.value);
      // With a limit the stream itself leaves out what is too old.
      if (this.#options.maxLag == null && live.lag > mostAhead) await heard;
      else heard.catch(() => undefined);
    }
  }

  /** Undefined once the user has interrupted. */
  async #untilInterrupted<T>(work: Promise<T>): Promise<T | undefined> {
    const signal = this.#signal;
    let release = (): void => undefined;
    const interrupted = new Promise<undefined>((done) => {
      const onAbort = (): void => done(undefined);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      release = () => signal.removeEventListener('abort', onAbort);
    });
    try {
      return await Promise.race([work, interrupted]);
    } finally {
      release();
      // The rest of stdin stays unread; the process must not wait for it.
      if (signal.aborted) process.stdin.destroy();
    }
  }
}

async function printEvents(live: LiveTranscription, verbose: boolean): Promise<void> {
  for await (const event of live) {
    printJson(`${JSON.stringify(event)}\n`);
    if (verbose && event.type === 'lag') tell(lagLine(event));
  }
}

/** Prints a line for each final text, each revision, and each text whose speaker is told. A terminal also shows the text so far below, which changes. */
export async function printCaptions(
  live: AsyncIterable<LiveEvent>,
  verbose: boolean,
): Promise<void> {
  const { stdout } = process;
  const screen = stdout.isTTY ? new CaptionScreen(stdout, !process.env.NO_COLOR) : undefined;
  const redraw = (): void => screen?.aside(() => undefined);
  stdout.on('resize', redraw);
  const show = (event: LiveEvent): void => {
    if (event.type === 'silence') return;
    if (event.type === 'revised' || event.type === 'speakers') {
      const line = event.type === 'revised' ? revisedLine(event) : speakerLines(event);
      if (screen) screen.aside(() => print(line));
      else print(line);
    } else if (event.type === 'lag' || event.type === 'language') {
      if (!verbose) return;
      const line = event.type === 'lag' ? lagLine(event) : languageLine(event);
      if (screen) screen.aside(() => tell(line));
      else tell(line);
    } else if (screen) screen.show(event);
    else if (event.type === 'final' && event.text.trim() !== '') print(`${event.text.trim()}\n`);
  };
  try {
    for await (const event of live) show(event);
  } finally {
    stdout.off('resize', redraw);
    screen?.end();
  }
}

/** What is heard the second time, instead of lines that stand already. */
function revisedLine({ segments }: LiveRevision): string {
  const text = segments.map((segment) => segment.text).join('');
  return `~ ${text.trim() || '(nothing)'}\n`;
}

/** Whose lines that stand already are: one for each change of the speaker. */
const speakerLines = ({ texts }: LiveSpeakers): string =>
  texts
    .flatMap(({ segments }) => segments)
    .map(({ speaker, text }) => `~ ${speaker === undefined ? '' : `${speaker}: `}${text.trim()}\n`)
    .join('');

const languageLine = ({ language, probability }: LiveLanguage): string =>
  `${languageNames[language] ?? language} (${Math.round(100 * probability)} %)\n`;

function lagLine({ time, lag, skipped }: LiveLag): string {
  const seconds = (value: number): string => value.toFixed(1);
  return skipped
    ? `left out, unheard: ${seconds(skipped.start)} s to ${seconds(skipped.end)} s\n`
    : `at ${seconds(time)} s: ${seconds(lag)} s behind\n`;
}
