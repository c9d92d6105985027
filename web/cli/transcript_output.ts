// Where transcripts go: one format to stdout, or any number of them to files named after the recordings.
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { format, SusurrusError, transcriptFormats } from '../src/node.js';
import type {
  FormatOptions,
  SubtitleProfile,
  Task,
  TranscriptLike,
  TranscriptFormat,
} from '../src/node.js';
import { writeAtomically } from '../src/platform/node_atomic_files.js';
import { asNumber, orNone, readOptions, usageError, withValues } from './arguments.js';
import { isFile, labelOf, stemOf } from './audio_source.js';
import type { Recording } from './recordings.js';
import { print, printJson, printLines, takesColors } from './terminal.js';
import { textLines } from './text_output.js';
import type { SpokenSegment, TextStyle } from './text_output.js';

const limitReaders = {
  'max-line-width': orNone(asNumber),
  'max-line-count': orNone(asNumber),
  'max-words-per-line': orNone(asNumber),
} as const;

/** For parse(). */
export const outputArguments = {
  ...withValues(limitReaders),
  profile: { type: 'string' },
  'highlight-words': { type: 'boolean' },
  'escape-formulas': { type: 'boolean' },
  colors: { type: 'boolean' },
  format: { type: 'string' },
  'output-dir': { type: 'string' },
  beside: { type: 'boolean' },
} as const;

interface OutputValues extends Readonly<Record<string, unknown>> {
  readonly format?: string;
  readonly profile?: string;
  readonly 'output-dir'?: string;
  readonly beside?: boolean;
  readonly 'highlight-words'?: boolean;
  readonly 'escape-formulas'?: boolean;
  readonly colors?: boolean;
  readonly compatibility?: string;
}

interface Circumstances {
  /** The recordings whose transcripts are written. */
  readonly recordings: readonly Recording[];
  readonly hasWords: boolean;
  /** Lines of text on stdout begin with their times. */
  readonly hasTimes: boolean;
  readonly task: Task | undefined;
  /** When none is asked for. */
  readonly defaultFormat: TranscriptFormat;
}

export class TranscriptOutput {
  readonly #formats: readonly TranscriptFormat[];
  readonly #folder: string | undefined;
  readonly #isBeside: boolean;
  readonly #options: FormatOptions;
  readonly #isOneOfMany: boolean;
  readonly #style: TextStyle;
  /** For the array of several JSON transcripts on stdout. */
  readonly #kept: object[] = [];

  /** Rejects, before any work, what cannot be written. */
  constructor(values: OutputValues, about: Circumstances) {
    this.#formats = formatsIn(values.format ?? about.defaultFormat);
    this.#folder = values['output-dir'];
    this.#isBeside = values.beside ?? false;
    this.#options = optionsIn(values, about);
    this.#isOneOfMany = about.recordings.length > 1;
    const { stdout, env } = process;
    const hasColors = values.colors === true && takesColors(stdout, env);
    this.#style = { hasTimes: about.hasTimes, hasColors };
    if (values.colors && !this.isText) {
      throw usageError('--colors needs text on stdout', 'colors');
    }
    // Whether the options make sense shows on an empty transcript.
    format({ segments: [] }, 'txt', this.#options);
    if (this.#isBeside && this.#folder !== undefined) {
      throw usageError('--output-dir and --beside exclude each other', 'beside');
    }
    const away = about.recordings.find(({ file }) => !isFile(file));
    if (this.#isBeside && away) {
      throw usageError(
        `there is no folder beside ${labelOf(away.file)}: give --output-dir`,
        'beside',
      );
    }
    if (this.isFiles) {
      const files = about.recordings.flatMap((recording) => this.#filesOf(recording));
      refuseCollisions(files.map(({ path }) => path));
      refuseOverwriting(files, about.recordings);
    } else if (this.#formats.length > 1) {
      throw usageError('several formats need --output-dir or --beside');
    } else if (this.#isOneOfMany && !this.isText && !this.#isJson) {
      const names = this.#formats.join();
      throw usageError(`several recordings as ${names} need --output-dir or --beside`);
    }
  }

  get isFiles(): boolean {
    return this.#isBeside || this.#folder !== undefined;
  }

  /** Text to stdout: it may be written as it comes. */
  get isText(): boolean {
    return !this.isFiles && this.#formats[0] === 'txt';
  }

  get #isJson(): boolean {
    return this.#formats[0] === 'json';
  }

  /** Creates the folder first, so that a bad path fails before hours of work. */
  async prepare(): Promise<void> {
    if (this.#folder !== undefined) await makeFolder(this.#folder);
  }

  /** Writes all formats of a recording, or none. Returns the files written. */
  async write(recording: Recording, transcript: TranscriptLike): Promise<string[]> {
    if (this.isFiles) return this.#writeFiles(recording, transcript);
    const [name = 'txt'] = this.#formats;
    if (this.#isOneOfMany && this.#isJson) {
      this.#kept.push({ file: labelOf(recording.file), ...transcript });
    } else if (this.isText) {
      this.show(transcript.segments);
    } else {
      const text = ended(format(transcript, name, this.#options));
      if (name === 'json' || name === 'verbose_json') printJson(text);
      else print(text);
    }
    return [];
  }

  /** Writes lines of text to stdout. */
  show(segments: readonly SpokenSegment[]): void {
    printLines(textLines(segments, this.#style));
  }

  /**
   * Whether files of all formats are there and whole: they get their names when they are complete, but a machine that stops may
   * leave them empty, and others may have written them.
   */
  async isWritten(recording: Recording): Promise<boolean> {
    for (const { name, path } of this.#filesOf(recording)) {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text === undefined || !isWhole(text, name)) return false;
    }
    return true;
  }

  async #writeFiles(recording: Recording, transcript: TranscriptLike): Promise<string[]> {
    const files = this.#filesOf(recording);
    if (recording.below !== '') await makeFolder(dirname(files[0]?.path ?? ''));
    await writeAtomically(true, async (create) => {
      for (const { name, path } of files) {
        const write = await create(path);
        await write(new TextEncoder().encode(format(transcript, name, this.#options)));
      }
    });
    return files.map(({ path }) => path);
  }

  #filesOf({
    file,
    below,
  }: Recording): { readonly name: TranscriptFormat; readonly path: string }[] {
    const folder = this.#isBeside ? dirname(file) : join(this.#folder ?? '', below);
    return this.#formats.map((name) => ({ name, path: join(folder, fileNameOf(file, name)) }));
  }

  /** Writes what could not be written piece by piece: the JSON array of several recordings, as far as they exist. */
  finish(): void {
    if (!this.#isOneOfMany || !this.#isJson || this.isFiles) return;
    const each = this.#kept.map((transcript) => format(transcript as TranscriptLike, 'json'));
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
    ...(values.profile !== undefined && { profile: values.profile as SubtitleProfile }),
    highlightWords: isHighlighted,
    escapeFormulas: values['escape-formulas'] ?? false,
    ...(values.compatibility === 'openai' && { compatibility: 'openai' }),
    ...(task && { task }),
  };
}

function fileNameOf(recording: string, name: TranscriptFormat): string {
  return `${stemOf(recording)}.${extensionOf(name)}`;
}

/** Many file systems treat names as equal that differ in case or in Unicode normalization. */
function refuseCollisions(paths: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const path of paths) {
    const folded = path.normalize('NFC').toLowerCase();
    const other = seen.get(folded);
    if (other === path) {
      const advice = '--beside, or naming their folder, keeps them apart';
      throw usageError(`two recordings would be written as '${path}'; ${advice}`, 'output-dir');
    }
    if (other !== undefined) {
      const problem = `two recordings would be written as '${other}' and '${path}', which many file systems take for one`;
      throw usageError(problem, 'output-dir');
    }
    seen.set(folded, path);
  }
}

function refuseOverwriting(
  files: readonly { readonly path: string }[],
  recordings: readonly Recording[],
): void {
  const read = new Set(recordings.flatMap(({ file }) => (isFile(file) ? resolve(file) : [])));
  const lost = files.find(({ path }) => read.has(resolve(path)));
  if (lost) throw usageError(`the transcript would overwrite the recording '${lost.path}'`);
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const problem = `${folder}: it could not be made: ${String(error)}`;
    throw new SusurrusError('source_failed', problem, { reason: 'source', subject: folder }, error);
  }
}

/** JSON has its end, and some formats have text even where nothing was said. */
function isWhole(text: string, name: TranscriptFormat): boolean {
  if (name === 'json' || name === 'verbose_json') return isJson(text);
  return text !== '' || format({ segments: [] }, name) === '';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function extensionOf(name: TranscriptFormat): string {
  return name === 'verbose_json' ? 'verbose.json' : name;
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
