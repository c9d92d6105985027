// Where transcripts go: one format to stdout, or any number of them to files named after the recordings.
import { mkdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { format, SusurrusError, transcriptFormats } from '../src/node.js';
import type { FormatOptions, Task, Transcript, TranscriptFormat } from '../src/node.js';
import { writeAtomically } from '../src/platform/node_atomic_files.js';
import { asNumber, orNone, readOptions, usageError, withValues } from './arguments.js';
import { print, printJson } from './terminal.js';

const limitReaders = {
  'max-line-width': orNone(asNumber),
  'max-line-count': orNone(asNumber),
  'max-words-per-line': orNone(asNumber),
} as const;

/** For parse(). */
export const outputArguments = {
  ...withValues(limitReaders),
  'highlight-words': { type: 'boolean' },
  format: { type: 'string' },
  'output-dir': { type: 'string' },
} as const;

interface OutputValues extends Readonly<Record<string, unknown>> {
  readonly format?: string;
  readonly 'output-dir'?: string;
  readonly 'highlight-words'?: boolean;
}

interface Circumstances {
  /** The recordings whose transcripts are written. */
  readonly recordings: readonly string[];
  readonly hasWords: boolean;
  readonly task: Task | undefined;
  /** When none is asked for. */
  readonly defaultFormat: TranscriptFormat;
}

export class TranscriptOutput {
  readonly #formats: readonly TranscriptFormat[];
  readonly #folder: string | undefined;
  readonly #options: FormatOptions;
  readonly #isOneOfMany: boolean;
  /** For the array of several JSON transcripts on stdout. */
  readonly #kept: object[] = [];

  /** Refuses, before any work, what cannot be written. */
  constructor(values: OutputValues, about: Circumstances) {
    this.#formats = formatsIn(values.format ?? about.defaultFormat);
    this.#folder = values['output-dir'];
    this.#options = optionsIn(values, about);
    this.#isOneOfMany = about.recordings.length > 1;
    // Whether the options make sense shows on an empty transcript.
    format({ segments: [] }, 'txt', this.#options);
    if (this.#folder === undefined) {
      if (this.#formats.length > 1) throw usageError('several formats need --output-dir');
      if (this.#isOneOfMany && !this.isText && !this.#isJson) {
        throw usageError(`several recordings as ${this.#formats.join()} need --output-dir`);
      }
    }
    if (this.#folder !== undefined) {
      refuseCollisions(
        about.recordings.flatMap((recording) =>
          this.#formats.map((name) => fileNameOf(recording, name)),
        ),
      );
    }
  }

  /** Text to stdout: it may be written as it comes. */
  get isText(): boolean {
    return this.#folder === undefined && this.#formats[0] === 'txt';
  }

  get #isJson(): boolean {
    return this.#formats[0] === 'json';
  }

  /** Creates the folder first, so that a bad path fails before hours of work. */
  async prepare(): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined) return;
    try {
      await mkdir(folder, { recursive: true });
    } catch (error) {
      const problem = `${folder}: it could not be made: ${String(error)}`;
      throw new SusurrusError(
        'source_failed',
        problem,
        { reason: 'source', subject: folder },
        error,
      );
    }
  }

  /** Answers the files written. */
  async write(recording: string, transcript: Transcript): Promise<string[]> {
    const written: string[] = [];
    for (const name of this.#formats) {
      if (this.#folder !== undefined) {
        const path = join(this.#folder, fileNameOf(recording, name));
        const text = format(transcript, name, this.#options);
        await writeAtomically(true, async (create) =>
          (await create(path))(new TextEncoder().encode(text)),
        );
        written.push(path);
      } else if (this.#isOneOfMany && this.#isJson) {
        this.#kept.push({ file: recording, ...transcript });
      } else {
        const text = ended(format(transcript, name, this.#options));
        if (name === 'json' || name === 'verbose_json') printJson(text);
        else print(text);
      }
    }
    return written;
  }

  /** Writes what could not be written piece by piece: of several recordings those that there are, in a JSON array. */
  finish(): void {
    if (!this.#isOneOfMany || !this.#isJson || this.#folder !== undefined) return;
    const each = this.#kept.map((transcript) => format(transcript as Transcript, 'json'));
    printJson(`[${each.join(',\n')}]\n`);
  }
}

function formatsIn(text: string): readonly TranscriptFormat[] {
  if (text === 'all') return transcriptFormats;
  const names = text.split(',').map((one) => {
    const found = transcriptFormats.find((name) => name === one.trim());
    if (found) return found;
    const known = [...transcriptFormats, 'all'].join(', ');
    throw usageError(`--format is one or several of ${known}, not '${one}'`, 'format');
  });
  return [...new Set(names)];
}

function optionsIn(values: OutputValues, { hasWords, task }: Circumstances): FormatOptions {
  const limits = Object.entries(readOptions(values, limitReaders)).filter(
    ([, limit]) => limit !== null,
  );
  const isHighlighted = values['highlight-words'] ?? false;
  if ((limits.length > 0 || isHighlighted) && !hasWords) {
    throw usageError('limits of lines and --highlight-words need --timestamps word', 'timestamps');
  }
  return {
    ...Object.fromEntries(limits),
    highlightWords: isHighlighted,
    ...(task && { task }),
  };
}

function fileNameOf(recording: string, name: TranscriptFormat): string {
  return `${basename(recording, extname(recording))}.${extensionOf(name)}`;
}

/** Many file systems treat names as equal that differ in case or in Unicode normalisation. */
function refuseCollisions(names: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const name of names) {
    const folded = name.normalize('NFC').toLowerCase();
    const other = seen.get(folded);
    if (other === name)
      throw usageError(`two recordings would be written as '${name}'`, 'output-dir');
    if (other !== undefined) {
      const problem = `two recordings would be written as '${other}' and '${name}', which many file systems take for one`;
      throw usageError(problem, 'output-dir');
    }
    seen.set(folded, name);
  }
}

function extensionOf(name: TranscriptFormat): string {
  return name === 'verbose_json' ? 'verbose.json' : name;
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
