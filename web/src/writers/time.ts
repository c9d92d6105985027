/** Rounded to the nearest integer, halves to the even one, as the double stands. */
export function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/** Whole milliseconds of a time in seconds. */
export function toMilliseconds(seconds: number): number {
  return roundHalfEven(seconds * 1000);
}

interface ClockOptions {
  /** Before the milliseconds. */
  readonly mark: '.' | ',';
  /** Hours stand there even when there are none. */
  readonly hasHours: boolean;
}

/** `mm:ss.mmm`, with `hh:` before it where needed. */
export function clock(milliseconds: number, { mark, hasHours }: ClockOptions): string {
  const seconds = Math.floor(milliseconds / 1000);
  const hours = Math.floor(seconds / 3600);
  return [
    hasHours || hours > 0 ? `${digits(hours, 2)}:` : '',
    `${digits(Math.floor(seconds / 60) % 60, 2)}:${digits(seconds % 60, 2)}`,
    `${mark}${digits(milliseconds % 1000, 3)}`,
  ].join('');
}

export function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}
