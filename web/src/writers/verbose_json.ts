import { languageNames } from '../api/generated/languages.js';
import type { FormatOptions } from './options.js';
import { withReferenceNames } from './reference_names.js';
import { wordsOf } from './transcript.js';
import type { TranscriptLike } from './transcript.js';
import { strip } from './white_space.js';

const segmentFields = [
  'id',
  'seek',
  'start',
  'end',
  'text',
  'tokens',
  'temperature',
  'avg_logprob',
  'compression_ratio',
  'no_speech_prob',
] as const;

/** What OpenAI's transcription service returns for `response_format: verbose_json`; words if there are any. */
export function writeVerboseJson(
  transcript: TranscriptLike,
  { task = 'transcribe' }: FormatOptions,
): string {
  const { segments } = withReferenceNames(transcript);
  const { language, duration, text } = transcript;
  const words = wordsOf(transcript)?.flat();
  return JSON.stringify({
    task,
    // A translation is English, whatever was spoken.
    language: task === 'translate' ? 'english' : language && (languageNames[language] ?? language),
    duration: duration ?? segments.at(-1)?.end ?? 0,
    text: strip(text ?? segments.map((segment) => segment.text).join('')),
    segments: segments.map((segment) =>
      Object.fromEntries(segmentFields.map((name) => [name, segment[name]])),
    ),
    ...(words && {
      words: words.map(({ word, start, end }) => ({ word: strip(word), start, end })),
    }),
  });
}
