import { open } from 'node:fs/promises';
import { check, SusurrusError } from '../src/node.js';
import type { SubtitleProfile, SubtitleReport, SubtitleViolation } from '../src/node.js';
import { mostSubtitleBytes, tooLarge } from '../src/writers/read_subtitles.js';
import { clock } from '../src/writers/time.js';
import { parse, usageError } from './arguments.js';
import { sourceError, unreadable } from './file_bytes.js';
import { FileReports, forEachFile } from './several_files.js';
import { printable } from './terminal.js';

export const checkArguments = {
  profile: { type: 'string' },
  language: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Exit status 1 when a hard rule is violated. */
export async function checkCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals: files } = parse(args, checkArguments);
  if (files.length === 0) throw usageError('check needs at least one FILE');
  const { profile = 'plain', language } = values;
  const options = language === undefined ? {} : { language };
  // An unknown profile ends the command before any file.
  check('', profile as SubtitleProfile, options);
  const output = new FileReports(files, values.json ?? false);
  await forEachFile(files, signal, async (file) => {
    const report = checkText(file, await readText(file), profile as SubtitleProfile, options);
    output.add(file, report, linesOf(report));
    if (!report.isValid) process.exitCode ??= 1;
  }).finally(() => output.finish());
}

function checkText(file: string, ...args: Parameters<typeof check>): SubtitleReport {
  try {
    return check(...args);
  } catch (error) {
    if (!(error instanceof SusurrusError)) throw error;
    throw new SusurrusError(error.code, `${file}: ${error.message}`, error.details);
  }
}

async function readText(file: string): Promise<string> {
  const handle = await open(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  try {
    const { size } = await handle.stat();
    if (size > mostSubtitleBytes) throw tooLarge(size);
    return await handle.readFile('utf8');
  } catch (error) {
    throw error instanceof SusurrusError ? error : sourceError(file, String(error));
  } finally {
    await handle.close();
  }
}

function linesOf({ cues, violations, fastShare, badBreakShare }: SubtitleReport): string {
  const hard = violations.filter(({ isHard }) => isHard).length;
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  return [
    ...violations.map(lineOf),
    `${cues} subtitles, ${hard} violations of hard rules, ${percent(fastShare)} too fast to read, ` +
      `${percent(badBreakShare)} of breaks part what belongs together`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function lineOf(violation: SubtitleViolation): string {
  const { rule, cue, start, line, text, value, limit, isHard } = violation;
  const time = clock(Math.round(start * 1000), { mark: '.', hasHours: true });
  const numbers = value === undefined ? '' : ` ${value} (${limit})`;
  const shown = printable(text.replaceAll('\n', ' / '));
  return `${isHard ? 'error  ' : 'advice '} ${time} line ${line} #${cue} ${rule}${numbers}: ${shown}`;
}
