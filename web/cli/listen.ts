// susurrus listen: captions of what comes on stdin, while it comes.
import type { LiveEvent, LiveOptions, LiveTranscription, Model } from '../src/node.js';
import { asNumber, parse, usageError } from './arguments.js';
import { listeningArguments, listeningOptions } from './listening_options.js';
import { modelArguments, withModel } from './open_model.js';
import { print, printJson } from './terminal.js';

const usualRate = 16000;

export async function listenCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, {
    ...modelArguments,
    ...listeningArguments('stream'),
    rate: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (positionals.length > 0) throw usageError('listen takes samples on stdin, no files');
  const sampleRate = values.rate === undefined ? usualRate : asNumber(values.rate, 'rate');
  const options = { ...listeningOptions(values, 'stream'), sampleRate, signal };
  await withModel(values, signal, (model) => hearStdin(model, options, values.json === true));
}

async function hearStdin(model: Model, options: LiveOptions, asJson: boolean): Promise<void> {
  const live = model.stream(options);
  const shown = asJson ? printEvents(live) : printCaptions(live);
  // The loop above tells what goes wrong.
  shown.catch(() => undefined);
  try {
    for await (const samples of samplesOf(process.stdin)) await live.feed(samples);
    await live.close();
  } catch (error) {
    await live.close().catch(() => undefined);
    throw error;
  }
  await shown;
}

/** s16, little-endian, mono; a chunk may end within a sample. */
async function* samplesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Int16Array> {
  let rest = new Uint8Array();
  for await (const chunk of input) {
    const bytes = new Uint8Array(rest.length + chunk.length);
    bytes.set(rest);
    bytes.set(chunk, rest.length);
    const count = Math.floor(bytes.length / 2);
    const view = new DataView(bytes.buffer);
    yield Int16Array.from({ length: count }, (_, i) => view.getInt16(2 * i, true));
    rest = bytes.slice(2 * count);
  }
}

async function printEvents(live: LiveTranscription): Promise<void> {
  for await (const event of live) printJson(`${JSON.stringify(event)}\n`);
}

/** A line for each final text. On a terminal the last line is what is heard so far. */
async function printCaptions(live: LiveTranscription): Promise<void> {
  const { stdout } = process;
  const write = (event: LiveEvent): void => {
    if (event.type === 'silence' || event.type === 'lag') return;
    const text = event.text.trim();
    if (stdout.isTTY) {
      stdout.write('\r\x1b[K');
      // The end of a long line is what was said last.
      const shown =
        event.type === 'final'
          ? text
          : Array.from(text)
              .slice(1 - stdout.columns)
              .join('');
      print(event.type === 'final' && text !== '' ? `${shown}\n` : shown);
    } else if (event.type === 'final' && text !== '') print(`${text}\n`);
  };
  for await (const event of live) write(event);
}
