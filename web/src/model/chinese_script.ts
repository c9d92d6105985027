// Chinese text in one script. The model itself, its prompt and what it saves of its state know nothing of it.
import { invalidOption, SusurrusError } from '../api/errors.js';
import { oneOf } from '../api/options.js';
import type {
  LiveEvent,
  LiveRevision,
  LiveText,
  Segment,
  TranscribeOptions,
  Transcript,
} from '../api/types.js';
import type { ConvertText } from '../platform/platform.js';

type Script = TranscribeOptions['script'];

/** The option's values. */
export const scriptCheck = oneOf('simplified', 'traditional');

const isChinese = (language: string | undefined): boolean =>
  language === 'zh' || language === 'yue';

/** Rejects the option for a model that knows no Chinese. */
export function checkKnowsChinese(script: Script, languages: readonly string[]): void {
  if (script === undefined || languages.some(isChinese)) return;
  throw new SusurrusError(
    'unsupported_feature',
    'Only models that know Chinese have the option script.',
    {
      reason: 'model',
      subject: 'the option script',
      expected: 'zh or yue among the languages of the model',
      got: languages.join(', '),
    },
  );
}

/** Why the settings of a saved transcription have no such script. */
export function savedScriptProblem(script: unknown): SusurrusError | undefined {
  const [expected, accepts] = scriptCheck;
  if (script === undefined || accepts(script)) return undefined;
  return invalidOption('from.settings.script', expected, script);
}

const characterCount = (text: string): number => Array.from(text).length;

/**
 * Converts pieces of a text as parts of the whole, since the characters of a phrase depend on each other. The dictionaries keep the number of
 * characters; should one not do so, each piece is converted alone.
 */
export function convertedPieces(pieces: readonly string[], convert: ConvertText): string[] {
  const characters = Array.from(convert(pieces.join('')));
  let at = 0;
  const divided = pieces.map((piece) =>
    characters.slice(at, (at += characterCount(piece))).join(''),
  );
  return at === characters.length ? divided : pieces.map(convert);
}

/** Converts a segment's texts, if its language is Chinese. */
export function segmentInScript(segment: Segment, convert: ConvertText): Segment {
  if (!isChinese(segment.language)) return segment;
  const { text, attempts, words } = segment;
  const texts =
    words &&
    convertedPieces(
      words.map(({ word }) => word),
      convert,
    );
  return {
    ...segment,
    text: convert(text),
    attempts: attempts.map((attempt) => ({ ...attempt, text: convert(attempt.text) })),
    ...(words && { words: words.map((word, i) => ({ ...word, word: texts?.[i] ?? word.word })) }),
  };
}

/** The text of a whole recording, from its segments where these hold all of it. */
export function textInScript(
  { text, language }: Pick<Transcript, 'text' | 'language'>,
  segments: readonly Segment[],
  convert: ConvertText,
): string {
  const joined = segments.map((segment) => segment.text).join('');
  if (characterCount(joined) === characterCount(text)) return joined;
  return isChinese(language) ? convert(text) : text;
}

/** Converts the texts of a stream. What a committed word was written as stays, whatever follows it. */
export class LiveScript {
  readonly #convert: ConvertText;
  /** The committed words of the text with this id. */
  #committed: { readonly id: number; readonly words: readonly string[] } | undefined;

  constructor(convert: ConvertText) {
    this.#convert = convert;
  }

  convert(events: readonly LiveEvent[]): readonly LiveEvent[] {
    return events.map((event) =>
      (event.type === 'partial' || event.type === 'final') && isChinese(event.language)
        ? this.#converted(event)
        : event,
    );
  }

  /** Converts what a second hearing changes. */
  revision<Revision extends Pick<LiveRevision, 'segments'>>(revision: Revision): Revision {
    const segments = revision.segments.map((segment) => {
      if (!isChinese(segment.language)) return segment;
      const texts = convertedPieces(
        segment.words.map(({ word }) => word),
        this.#convert,
      );
      const words = segment.words.map((word, i) => ({ ...word, word: texts[i] ?? word.word }));
      return { ...segment, text: texts.join(''), words };
    });
    return { ...revision, segments };
  }

  #converted(event: LiveText): LiveText {
    const { id, words, tokens } = event;
    const kept = this.#committed?.id === id ? this.#committed.words : [];
    const converted = convertedPieces(
      words.map(({ word }) => word),
      this.#convert,
    );
    const texts = [...kept, ...converted.slice(kept.length)];
    this.#committed = { id, words: texts.slice(0, event.committed) };
    const text = texts.join('');
    const tokenTexts = convertedPieces(
      tokens.map((token) => token.text),
      (whole) => (whole === event.text ? text : this.#convert(whole)),
    );
    return {
      ...event,
      text,
      words: words.map((word, i) => ({ ...word, word: texts[i] ?? word.word })),
      tokens: tokens.map((token, i) => ({ ...token, text: tokenTexts[i] ?? token.text })),
    };
  }
}
