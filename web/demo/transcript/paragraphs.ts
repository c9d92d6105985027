// Where paragraphs of a transcript begin: where a person wants it, or else at long pauses, at pauses after a sentence, and where the language or the speaker changes.
import { endsSentence } from '../../src/writers/sentence_end.js';
import type { HeardSegment } from './transcript_document.js';

/** A pause that begins a paragraph wherever it is, in seconds. */
const longPause = 2.5;
/** A pause that begins one after the end of a sentence. */
const pauseAfterSentence = 0.8;
/** Letters after which the next end of a sentence begins one, pause or not. */
export const longParagraph = 600;

/** The indices of segments that have text, paragraph by paragraph, from segment `from` on, which begins one. */
export function paragraphsOf(segments: readonly HeardSegment[], from = 0): number[][] {
  const paragraphs: number[][] = [];
  let letters = 0;
  let before: HeardSegment | undefined;
  let chosen: boolean | undefined;
  for (let at = from; at < segments.length; ++at) {
    const segment = segments[at];
    // What a person chose for a segment that is empty now holds for the next one.
    chosen = segment?.begins ?? chosen;
    if (!segment || segment.text.trim() === '') continue;
    const isOther = before !== undefined && segment.speaker !== before.speaker;
    if (!before || isOther || (chosen ?? begins(segment, before, letters))) {
      paragraphs.push([]);
      letters = 0;
    }
    paragraphs.at(-1)?.push(at);
    letters += segment.text.length;
    before = segment;
    chosen = undefined;
  }
  return paragraphs;
}

function begins(segment: HeardSegment, before: HeardSegment, letters: number): boolean {
  if (segment.language !== before.language) return true;
  const pause = startOf(segment) - endOf(before);
  if (pause >= longPause) return true;
  return endsSentence(before.text) && (pause >= pauseAfterSentence || letters >= longParagraph);
}

// Segments often reach to the next one; their words say where the pause is.
const startOf = ({ start, words }: HeardSegment): number => words?.[0]?.start ?? start;
const endOf = ({ end, words }: HeardSegment): number => words?.at(-1)?.end ?? end;

const spacelessLanguages = new Set(['zh', 'ja', 'yue', 'th', 'lo', 'my', 'km']);

/** What text of this language begins with. */
export const leadingSpace = (language: string | undefined): string =>
  spacelessLanguages.has(language ?? '') ? '' : ' ';

/** What stands between a segment and the one before in its paragraph: Chinese and the like have no space there. */
export const spaceBefore = ({ text, language }: HeardSegment): string =>
  /^\s/u.test(text) ? ' ' : leadingSpace(language);
