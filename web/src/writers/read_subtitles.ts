// The subtitles in a SubRip or WebVTT file.
import { fileError, invalidOption } from '../api/errors.js';
import type { SusurrusError } from '../api/errors.js';

/** A subtitle as a file has it. Times in milliseconds. */
export interface ReadCue {
  readonly start: number;
  readonly end: number;
  /** Where its time stands, counted from 1. */
  readonly line: number;
  /** As they are shown, without tags. */
  readonly text: readonly string[];
}

/** A file of subtitles is text for people: hours of it are a few hundred kilobytes. */
export const mostSubtitleBytes = 64 * 2 ** 20;

const time = String.raw`(?:(\d{1,6}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})`;
const timing = new RegExp(String.raw`^\s*${time}\s*-->\s*${time}(?:\s.*)?$`);
const tags = /<\/?(?:[bcivus]|lang|ruby|rt|font)(?:[\s.][^<>]*)?>|<[\d:.]+>|\{\\an?\d+\}/gi;
const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': '\u00A0',
  '&lrm;': '\u200E',
  '&rlm;': '\u200F',
};

/** @throws SusurrusError with the first line that is none of such a file. */
export function readSubtitles(content: unknown): readonly ReadCue[] {
  if (typeof content !== 'string') throw invalidOption('subtitles', 'text', content);
  if (content.length > mostSubtitleBytes) throw tooLarge(content.length);
  const lines = content.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const isVtt = /^WEBVTT(?:\s|$)/.test(lines[0]!);
  const found: ReadCue[] = [];
  let at = isVtt ? endOfBlock(lines, 0) : 0;
  while (at < lines.length) {
    if (lines[at]!.trim() === '') {
      ++at;
      continue;
    }
    const end = endOfBlock(lines, at);
    if (!isVtt || !/^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(lines[at]!)) {
      found.push(cueIn(lines, at, end, isVtt));
    }
    at = end;
  }
  return found;
}

/** The error for more text than is read. */
export function tooLarge(got: number): SusurrusError {
  return fileError('limit_exceeded', 'the subtitles are too large', {
    reason: 'limit',
    expected: `at most ${mostSubtitleBytes} bytes`,
    got: `${got}`,
  });
}

function endOfBlock(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at]!.trim() !== '') ++at;
  return at;
}

function cueIn(lines: readonly string[], from: number, end: number, isVtt: boolean): ReadCue {
  // Before the time may stand a number or a name.
  const at = lines[from]!.includes('-->') ? from : from + 1;
  const times = at < end ? timing.exec(lines[at]!) : null;
  if (!times) {
    // Where a time was meant, that line is the wrong one.
    const isMeant = at < end && (lines[at]!.includes('-->') || /^\s*\d+\s*$/.test(lines[from]!));
    const wrong = isMeant ? at : from;
    throw broken(wrong, '00:00:01.000 --> 00:00:02.000', lines[wrong]!);
  }
  const [start, stop] = [millisecondsOf(times.slice(1, 5)), millisecondsOf(times.slice(5, 9))];
  if (stop < start) throw broken(at, 'an end that is not before its start', lines[at]!);
  const text = lines.slice(at + 1, end);
  const next = text.findIndex((line) => timing.test(line));
  if (next >= 0) throw broken(at + 1 + next, 'a blank line before the next time', text[next]!);
  return { start, end: stop, line: at + 1, text: text.map((line) => shown(line, isVtt)) };
}

function millisecondsOf([hours = '0', minutes, seconds, fraction = '']: readonly string[]): number {
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1000 + Number(fraction.padEnd(3, '0'));
}

function shown(line: string, isVtt: boolean): string {
  const bare = line.replaceAll(tags, '').trim();
  return isVtt ? bare.replaceAll(/&\w+;/g, (each) => entities[each] ?? each) : bare;
}

function broken(at: number, expected: string, got: string): SusurrusError {
  return fileError('malformed', 'the subtitles are broken', {
    reason: 'contradiction',
    subject: `line ${at + 1}`,
    expected,
    got: JSON.stringify(got.slice(0, 80)),
  });
}
