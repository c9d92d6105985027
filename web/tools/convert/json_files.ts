import { SusurrusError, type ErrorReason } from '../../src/api/errors.js';
import { isObject, type JsonObject } from '../../src/api/json_object.js';
import { readRange, type SourceFolder } from '../../src/platform/source_folder.js';

export { isObject, type JsonObject };

/** A tokenizer.json of the hub has a few megabytes. */
const mostBytes = 256 * 1024 * 1024;

/** A JSON object's file; undefined when the folder has none of this name. */
export async function readJsonObject(
  folder: SourceFolder,
  file: string,
): Promise<JsonObject | undefined> {
  const bytes = await readSmallFile(folder, file);
  return bytes && parseJsonObject(bytes, file);
}

/** A file that is read whole; undefined when the folder has none of this name. */
export async function readSmallFile(
  folder: SourceFolder,
  file: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
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
  return readRange(folder, file, 0, byteCount);
}

export function parseJsonObject(bytes: AllowSharedBufferSource, file: string): JsonObject {
  const value = parseJson(bytes, file);
  if (!isObject(value)) throw badFile(file, 'it is not a JSON object');
  return value;
}

export function parseJson(bytes: AllowSharedBufferSource, file: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw badFile(file, error instanceof Error ? error.message : 'it is not JSON');
  }
}

export function badFile(
  file: string,
  problem: string,
  reason: ErrorReason = 'bad_metadata',
): SusurrusError {
  return new SusurrusError('malformed', `${file}: ${problem}.`, {
    reason,
    subject: file,
    got: problem,
  });
}

export function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
