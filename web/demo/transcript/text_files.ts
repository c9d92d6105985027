// A transcript as text that people read: plain, with times, and Markdown. Knows no page.
import { shortClock } from './short_clock.js';

export interface SpokenParagraph {
  /** In seconds. */
  readonly start: number;
  readonly text: string;
  /** Where somebody else begins to speak. */
  readonly speaker?: string;
}

/** What stands above the text. */
export interface TextHead {
  readonly title: string;
  /** When it was recorded, and how long it is. */
  readonly about: string;
}

const said = ({ speaker, text }: SpokenParagraph): string =>
  speaker === undefined ? text : `${speaker}: ${text}`;

/** A line for each paragraph and an empty one between them. */
export const plainText = (paragraphs: readonly SpokenParagraph[]): string =>
  paragraphs.map(said).join('\n\n');

export const timedText = (paragraphs: readonly SpokenParagraph[]): string =>
  paragraphs.map((one) => `[${shortClock(one.start)}] ${said(one)}`).join('\n\n');

export function markdown(
  { title, about }: TextHead,
  paragraphs: readonly SpokenParagraph[],
  hasTimes: boolean,
): string {
  const lines = paragraphs.map(({ start, speaker, text }) =>
    [
      ...(hasTimes ? [`*${shortClock(start)}*`] : []),
      ...(speaker === undefined ? [] : [`**${literal(speaker)}:**`]),
      // What would begin a list or a heading does so at the beginning of a line alone.
      hasTimes || speaker !== undefined ? literal(text) : literalLine(text),
    ].join(' '),
  );
  return [`# ${literal(title)}`, literalLine(about), ...lines].join('\n\n');
}

const literal = (text: string): string =>
  text.replaceAll(/\s+/gu, ' ').replaceAll(/[\\`*_[\]<>&~|#]/gu, '\\$&');

const literalLine = (text: string): string =>
  literal(text).replace(/^(?:[-+=]|\d+(?=[.)]))/u, (mark) =>
    /\d/u.test(mark) ? `${mark}\\` : `\\${mark}`,
  );
