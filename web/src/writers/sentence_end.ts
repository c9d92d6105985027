// Where a sentence ends in text, by its punctuation.

/** Quotes and brackets that may stand behind the mark. */
export const closing = '["\'’”»)\\]）」』】〉》]*';
const mark = new RegExp(`[.!?…。！？؟۔।]${closing}\\s*$`, 'u');
/** "Mr.", "J.", "z.B.": a full stop that ends no sentence. */
const abbreviation =
  /(?:^|\s)(?:\p{L}|(?:\p{L}\.)+\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Sr|Sra|Nr|bzw|etc|vs|Mme|Mlle)\.\s*$/u;

/** Whether the text ends with a mark that can end a sentence. */
export const endsWithMark = (text: string): boolean => mark.test(text);
/** Whether it ends with the end of a sentence. */
export const endsSentence = (text: string): boolean =>
  endsWithMark(text) && !abbreviation.test(text);
