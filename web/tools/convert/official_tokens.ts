// Whisper's control tokens by the official numeric rules, for vocabularies that leave them out.

import { languageNames } from '../../src/api/generated/languages.js';
import { officialVocabularies, timestampCount } from '../../src/api/generated/whisper.js';

/**
 * Fills the places after the ordinary text that `vocabulary` leaves empty, if `vocabularySize` is an official one, or was
 * before it was padded: then the last token before the timestamps tells which.
 */
export function addOfficialTokens(vocabulary: string[], vocabularySize: number): void {
  const unpadded = vocabulary.indexOf('<|notimestamps|>') + 1 + timestampCount;
  const size =
    officialVocabularies[vocabularySize] ??
    (unpadded < vocabularySize ? officialVocabularies[unpadded] : undefined);
  if (!size) return;
  const names = [
    'endoftext',
    'startoftranscript',
    ...Object.keys(languageNames).slice(0, size.languages),
    'translate',
    'transcribe',
    'startoflm',
    'startofprev',
    'nospeech',
    'notimestamps',
    ...Array.from({ length: timestampCount }, (_, i) => (i * 0.02).toFixed(2)),
  ];
  // English vocabularies of some folders hold <|endoftext|> already, as their last ordinary token.
  while (vocabulary.length < size.textTokens) vocabulary.push('');
  names.forEach((name, i) => {
    vocabulary[size.textTokens + i] ||= `<|${name}|>`;
  });
}
