// Checks of the fields of a model to write. Errors name the field.
import { invalidOption } from '../../src/api/errors.js';
import type { PartChunk } from '../../src/api/write_types.js';

/** Rejects anything but an object with these keys. */
export function refuseOthers(value: object, keys: readonly string[], subject: string): void {
  objectOf(value, subject);
  const other = Object.keys(value).find((key) => !keys.includes(key));
  if (other === undefined) return;
  throw invalidOption(
    `${subject}: ${other}`,
    `absent; there are ${keys.join(', ')}`,
    Reflect.get(value, other),
  );
}

export function objectOf(value: unknown, subject: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidOption(subject, 'an object', value);
  }
}

export function arrayOf<T>(value: readonly T[], subject: string): readonly T[] {
  const given: unknown = value;
  if (!Array.isArray(given)) throw invalidOption(subject, 'an array', value);
  return value;
}

export function text(value: unknown, subject: string): string {
  // UTF-8 cannot represent lone surrogates.
  if (typeof value === 'string' && !/\p{Surrogate}/u.test(value)) return value;
  throw invalidOption(subject, 'text', value);
}

export function bytesOrText(value: unknown, subject: string): string | Uint8Array {
  return value instanceof Uint8Array ? value : text(value, subject);
}

export function numberField(value: unknown, subject: string): number {
  if (typeof value !== 'number') throw invalidOption(subject, 'a number', value);
  return value;
}

export function whole(value: unknown, subject: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalidOption(subject, 'a whole number', value);
}

export const sizes = (value: unknown, subject: string): number[] =>
  arrayOf(value as readonly unknown[], subject).map((size) => whole(size, subject));

export const isChunk = (value: unknown): value is PartChunk =>
  value instanceof ArrayBuffer || ArrayBuffer.isView(value);

/** The chunk's own memory, as bytes. */
export const chunkBytes = (chunk: PartChunk): Uint8Array =>
  ArrayBuffer.isView(chunk)
    ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    : new Uint8Array(chunk);
