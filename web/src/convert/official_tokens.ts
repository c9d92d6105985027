// Whisper's control tokens by the official numeric rules, for vocabularies that leave them out.

const languages = (
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml ' +
  'cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am ' +
  'yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue'
).split(' ');

const timestampCount = 1501;

/** Ids of ordinary text, and languages, for each official size of vocabulary. */
const officialSizes: Readonly<Record<number, { base: number; languages: number }>> = {
  51864: { base: 50256, languages: 99 },
  51865: { base: 50257, languages: 99 },
  51866: { base: 50257, languages: 100 },
};

/**
 * Fills the places after the ordinary text that `vocabulary` leaves empty, if `vocabularySize` is an official one, or was
 * before it was padded: then the last token before the timestamps tells which.
 */
export function addOfficialTokens(vocabulary: string[], vocabularySize: number): void {
  const unpadded = vocabulary.indexOf('<|notimestamps|>') + 1 + timestampCount;
  const size =
    officialSizes[vocabularySize] ??
    (unpadded < vocabularySize ? officialSizes[unpadded] : undefined);
  if (!size) return;
  const names = [
    'endoftext',
    'startoftranscript',
    ...languages.slice(0, size.languages),
    ...['translate', 'transcribe', 'startoflm', 'startofprev', 'nospeech', 'notimestamps'],
    ...Array.from({ length: timestampCount }, (_, i) => (i * 0.02).toFixed(2)),
  ];
  // English vocabularies of some folders hold <|endoftext|> already, as their last ordinary token.
  while (vocabulary.length < size.base) vocabulary.push('');
  names.forEach((name, i) => {
    vocabulary[size.base + i] ||= `<|${name}|>`;
  });
}
