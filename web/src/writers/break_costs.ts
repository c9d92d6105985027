// Where text of subtitles may be parted, and how much it costs the reader.
import { breakWords } from './break_words.js';
import { breaksOf, needsBreaks } from './line_breaks.js';
import { wideColumns } from './subtitle_profiles.js';

/** What a break costs: nothing behind a sentence, and more the closer what it parts belongs together. */
export const breakCosts = {
  sentence: 0,
  clause: 1,
  beforeClause: 3,
  beforePhrase: 8,
  beforeVerb: 12,
  other: 16,
  inPhrase: 20,
  held: 22,
  number: 40,
  name: 50,
  tied: 60,
} as const;

/** A break that costs more parts what belongs together. */
export const worstGoodBreak = breakCosts.held;

const closing = '["\'’”»)\\]）」』】〉》]*';
const endsSentence = new RegExp(`[.!?…。！？؟۔।]${closing}$`, 'u');
const endsClause = new RegExp(`[,;:、，；：،؛—–]${closing}$`, 'u');
/** "Mr.", "J.", "z.B.": a full stop that ends no sentence. */
const abbreviation =
  /(?:^|\s)(?:\p{L}|(?:\p{L}\.)+\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Sr|Sra|Nr|bzw|etc|vs|Mme|Mlle)\.$/u;
/** Signs that belong to the word before them, such as the French question mark. */
const onlyClosing = /^[\p{Pe}\p{Pf}?!:;,.…%]+$/u;
const onlyOpening = /^[\p{Ps}\p{Pi}¿¡]+$/u;

/** Offsets where text may be parted: between words; in scripts without blanks where kinsoku lets it. */
export function breakPlaces(text: string, language: string | undefined): readonly number[] {
  const places = needsBreaks(text, language)
    ? breaksOf(text, language, wideColumns)
    : Array.from(text.matchAll(/\s+/g), ({ index }) => index);
  return places.filter((at, i) => {
    if (!/\s/.test(text.charAt(at))) return true;
    const before = text.slice(places[i - 1] ?? 0, at).trim();
    const after = text.slice(at, places[i + 1]).trim();
    return !onlyClosing.test(after) && !onlyOpening.test(before);
  });
}

/** The cost of a break between two pieces of text, `before` and `after` being long enough to tell. */
export function breakCost(before: string, after: string, language: string | undefined): number {
  const [left, right] = [before.trimEnd(), after.trimStart()];
  if (endsSentence.test(left) && !abbreviation.test(left)) return breakCosts.sentence;
  if (endsClause.test(left)) return breakCosts.clause;
  if (!/\s/.test(after.charAt(0)) || /^(?:ja|zh|yue)/.test(language ?? '')) {
    return unspacedCost(left, right, language);
  }
  return spacedCost(left, right, language);
}

const bare = (word: string): string => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}.]+$/gu, '');
/** "qu'elle" begins as "que" does, and "d'un" as "de". */
const elided = (word: string): string => word.replace(/^(qu|d|l|s)['’].*$/u, '$1e');
const isName = (word: string): boolean =>
  /^\p{Lu}[\p{L}'’-]*\p{Ll}/u.test(word) || /^\p{Lu}\.$/u.test(word);

function spacedCost(left: string, right: string, language: string | undefined): number {
  const words = breakWords(language);
  const last = bare(/\S*$/.exec(left)![0]);
  const first = bare(/^\S*/.exec(right)![0]);
  const end = last.toLowerCase().replace(/^.*['’](?=.)/u, '');
  const begin = elided(first.toLowerCase());
  if (/^\p{Nd}+$/u.test(last)) return breakCosts.number;
  if (words?.tied.has(end)) return breakCosts.tied;
  // Every noun of German has a capital.
  const isGerman = /^de/.test(language ?? '');
  const isAtStart = /(?:^|[.!?…]\s+)\S+$/u.test(left);
  if (!isGerman && isName(last) && isName(first) && !isAtStart) return breakCosts.name;
  if (words?.held.has(end)) return breakCosts.held;
  if (words?.clause.has(begin)) return breakCosts.beforeClause;
  if (words?.ofNouns.has(begin)) return breakCosts.held;
  if (words?.phrase.has(begin)) return breakCosts.beforePhrase;
  // "a small / town" parts a phrase; before an auxiliary it has ended.
  if (words?.held.has(begin)) return breakCosts.beforeVerb;
  const previous = /(\S+)\s+\S+$/.exec(left)?.[1] ?? '';
  return words?.articles.has(previous.toLowerCase()) ? breakCosts.inPhrase : breakCosts.other;
}

const chineseClause =
  /^(?:但是|不过|可是|因为|所以|如果|虽然|而且|然后|或者|以防|并且|只要|是怎么)/u;
const chinesePhrase = /^(?:在|从|对|向|给|跟|把|被|为|用|比|当|到|等|创造)/u;
const chineseTied =
  /(?:在|从|对|向|给|跟|把|被|为|用|比|当|和|与|一|两|这|那|几|个|很|最|不|没|没有|一个|不过|但是|因为|所以|如果|虽然|而且|然后|已经|也|都|就|才|还|会|要|将)$/u;
const japaneseClause =
  /(?:ので|から|けれど|けど|のに|れば|たら|なら|ながら|とき|って|[いえきしちりっけせてねべめれ]て|んで|と|か)$/u;
/** A verb in kanji with its ending: it goes with what stands before it. */
const japaneseVerb = /^\p{Script=Han}{1,2}(?![のはがをにとも])\p{Script=Hiragana}/u;
/** What stands before its noun. */
const adnominal = /[いなたるの]$/u;
const japanesePhrase = /[はをにがでもへ]$/u;

function unspacedCost(left: string, right: string, language: string | undefined): number {
  if (/^ja/.test(language ?? '')) {
    if (/^(?:方を|以上|以下|以内|くらい|ほど|前|後)/u.test(right)) return breakCosts.number;
    // "小さな / 空港", "すると / 約束した"
    const isHeld = adnominal.test(left) && /^[\p{Script=Han}\p{Script=Katakana}]/u.test(right);
    if (isHeld || /の$/u.test(left)) return breakCosts.held;
    if (/と$/u.test(left) && /^[思言約考聞]/u.test(right)) return breakCosts.held;
    if (japaneseClause.test(left)) return breakCosts.beforeClause;
    if (japaneseVerb.test(right)) return breakCosts.inPhrase;
    return japanesePhrase.test(left) ? breakCosts.beforePhrase : breakCosts.other;
  }
  if (/^(?:zh|yue)/.test(language ?? '')) {
    if (chineseTied.test(left)) return breakCosts.tied;
    if (/的$/u.test(left)) return breakCosts.held;
    if (chineseClause.test(right)) return breakCosts.beforeClause;
    if (chinesePhrase.test(right)) return breakCosts.beforePhrase;
  }
  return breakCosts.other;
}
