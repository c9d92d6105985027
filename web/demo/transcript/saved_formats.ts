// What a transcript can be saved as, and how it is written. Knows no page.
import { format } from '../../src/index.js';
import type { FormatOptions, TranscriptFormat, TranscriptLike } from '../../src/index.js';
import { importAgain } from '../../src/platform/import_again.js';
import { duration } from '../shell/format.js';
import { strings } from '../strings.js';
import { markdown, plainText, timedText, type SpokenParagraph } from './text_files.js';

/** A transcript that can be saved, also one that still grows or that ended early. */
export interface SavedText {
  readonly facts: {
    readonly name: string;
    /** In milliseconds since 1970. */
    readonly created: number;
    readonly task?: FormatOptions['task'];
  };
  readonly transcript: TranscriptLike;
  readonly paragraphs: readonly SpokenParagraph[];
  readonly isEmpty: boolean;
}

/** The page's own beside those of the package. */
export type SavedFormat =
  'text' | 'timed' | 'docx' | 'markdown' | 'timed_markdown' | TranscriptFormat;

/** As the menu shows them; the last group is folded away. */
export const formatGroups = {
  text: ['text', 'timed', 'docx', 'markdown'],
  subtitles: ['srt', 'vtt'],
  data: ['json'],
  more: ['timed_markdown', 'txt', 'csv', 'tsv', 'lrc', 'verbose_json'],
} as const satisfies Readonly<Record<string, readonly SavedFormat[]>>;

/** How subtitles are parted: by the rules of a house, or as the segments are. */
export const subtitleRules = ['plain', 'netflix', 'bbc', 'segments'] as const;
export type SubtitleRules = (typeof subtitleRules)[number];

const endings: Readonly<Partial<Record<SavedFormat, string>>> = {
  text: 'txt',
  timed: 'txt',
  markdown: 'md',
  timed_markdown: 'md',
  verbose_json: 'verbose.json',
};

/** What the name of its file ends with. */
export const endingOf = (name: SavedFormat): string => endings[name] ?? name;

const loadWord = importAgain(() => import('./word_document.js'));

/** What there is of the text when this is called. Rejects in plain words where a part of the page is missing. */
export async function contentOf(
  { facts, transcript, paragraphs }: SavedText,
  name: SavedFormat,
  rules: SubtitleRules,
): Promise<Blob> {
  const head = { title: facts.name, about: aboutOf(facts.created, transcript.duration) };
  switch (name) {
    case 'text':
      return textFile(`${plainText(paragraphs)}\n`);
    case 'timed':
      return textFile(`${timedText(paragraphs)}\n`);
    case 'markdown':
    case 'timed_markdown':
      return textFile(`${markdown(head, paragraphs, name !== 'markdown')}\n`, 'text/markdown');
    case 'docx': {
      const { wordDocument } = await loadWord().catch((cause: unknown) => {
        throw new Error(strings.save.noWord, { cause });
      });
      return wordDocument(head, paragraphs, transcript.language);
    }
    default: {
      const isSubtitles = name === 'srt' || name === 'vtt';
      const options = {
        ...(facts.task && { task: facts.task }),
        ...(isSubtitles && rules !== 'segments' && { profile: rules }),
      };
      const type = name.endsWith('json') ? 'application/json' : 'text/plain';
      return textFile(format(transcript, name, options), type);
    }
  }
}

const textFile = (text: string, type = 'text/plain'): Blob => new Blob([text], { type });

function aboutOf(created: number, seconds: number | undefined): string {
  const when = new Date(created).toLocaleString([], { dateStyle: 'long', timeStyle: 'short' });
  return seconds === undefined ? when : `${when} · ${duration(seconds)}`;
}

/** Hands a file to the browser. */
export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The download has begun when the click returns; the URL may be revoked a little later.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
