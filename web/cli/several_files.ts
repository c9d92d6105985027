// Work on several files: after one fails, the others are still done.
import { errorNumbers } from '../src/api/errors.js';
import { SusurrusError } from '../src/node.js';
import { print, printable, printJson, tellAlways } from './terminal.js';
import { isUsageError, usageStatus } from './usage_error.js';

/** One line on stderr, which may quote a file. Returns the exit status: the group of the error, or 64 for a usage error. */
export function tellError(error: unknown, command?: string): number {
  if (isUsageError(error)) {
    const help = `susurrus ${command === undefined ? '' : `${command} `}--help`;
    tellAlways(`susurrus: ${oneLine(error.message)} (${help})\n`);
    return usageStatus;
  }
  if (!(error instanceof SusurrusError)) {
    tellAlways(`susurrus: ${printable(error instanceof Error ? error.message : String(error))}\n`);
    return Math.floor(errorNumbers.internal_error / 10);
  }
  tellAlways(`susurrus: ${oneLine(error.message)} [${error.code}]\n`);
  return Math.floor(errorNumbers[error.code] / 10);
}

const oneLine = (text: string): string => printable(text.replaceAll(/\s*\n\s*/g, ' '));

/**
 * Runs `work` for one file after the other. With several files, a failure is reported and the next file follows; the exit status is
 * that of the first failure. An abort ends the run at once, and so does an error for which `endsAll` is true: by default an option
 * that every file would reject.
 */
export async function forEachFile<File>(
  files: readonly File[],
  signal: AbortSignal,
  work: (file: File) => Promise<void>,
  endsAll: (error: unknown) => boolean = isRefusedOption,
): Promise<void> {
  for (const file of files) {
    try {
      await work(file);
    } catch (error) {
      if (files.length === 1 || signal.aborted || endsAll(error)) throw error;
      const status = tellError(error);
      process.exitCode ??= status;
    }
  }
}

/** An option that every file would reject. */
export function isRefusedOption(error: unknown): boolean {
  return error instanceof SusurrusError && error.details.reason === 'option';
}

/** Output for files: text under their names with a blank line between files, or one JSON array of objects with `file`; for a single file, its output alone. */
export class FileReports {
  readonly #isOneOfMany: boolean;
  readonly #isJson: boolean;
  readonly #kept: object[] = [];
  #gap = '';

  constructor(files: readonly string[], isJson: boolean) {
    this.#isOneOfMany = files.length > 1;
    this.#isJson = isJson;
  }

  add(file: string, json: object, text: string): void {
    if (!this.#isJson) {
      print(this.#isOneOfMany ? `${this.#gap}${file}\n${text}` : text);
      this.#gap = '\n';
    } else if (this.#isOneOfMany) this.#kept.push({ file, ...json });
    else printJson(`${JSON.stringify(json, null, 2)}\n`);
  }

  /** Writes the array, of those files that did not fail. */
  finish(): void {
    if (this.#isJson && this.#isOneOfMany) printJson(`${JSON.stringify(this.#kept, null, 2)}\n`);
  }
}
