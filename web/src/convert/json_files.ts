import { SusurrusError } from '../errors.js';
import { readRange, type SourceFolder } from './source_folder.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A tokenizer.json of the hub has a few megabytes. */
const mostBytes = 256 * 1024 * 1024;

/** A JSON object's file; undefined when the folder has none of this name. */
export async function readJsonObject(
  folder: SourceFolder,
  file: string,
): Promise<JsonObject | undefined> {
  const byteCount = await folder.byteCount(file);
  if (byteCount === undefined) return undefined;
  if (byteCount > mostBytes) {
    throw new SusurrusError('limit_exceeded', `${file} is too large.`, {
      reason: 'limit',
      subject: file,
      expected: `at most ${mostBytes} bytes`,
      got: String(byteCount),
    });
  }
  const text = new TextDecoder().decode(await readRange(folder, file, 0, byteCount));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badFile(file, error instanceof Error ? error.message : 'it is not JSON');
  }
  if (!isObject(value)) throw badFile(file, 'it is not a JSON object');
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function badFile(file: string, problem: string, reason = 'bad_metadata'): SusurrusError {
  return new SusurrusError('malformed', `${file}: ${problem}.`, {
    reason,
    subject: file,
    got: problem,
  });
}

export function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
