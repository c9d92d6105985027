// Where text of subtitles may be parted, and how much it costs the reader.
import { breakWords } from './break_words.js';
import type { BreakWords } from './break_words.js';
import { breaksOf, needsBreaks } from './line_breaks.js';
import { closing, endsSentence, endsWithMark } from './sentence_end.js';
import { wideColumns } from './subtitle_profiles.js';

/** What a break costs: nothing behind a sentence, and more the closer what it parts belongs together. */
export const breakCosts = {
  sentence: 0,
  clause: 1,
  beforeClause: 3,
  afterTopic: 6,
  beforePhrase: 8,
  besidePhrase: 13,
  other: 18,
  beforeOf: 20,
  inPhrase: 24,
  held: 30,
  number: 40,
  name: 60,
  tied: 80,
} as const;

/** A break that leaves one word of a clause alone costs this more. */
const costOfLoneWord = 8;

const endsClause = new RegExp(`[,;:、，；：،؛—–]${closing}$`, 'u');
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
  if (endsSentence(left)) return breakCosts.sentence;
  if (endsClause.test(left)) return breakCosts.clause;
  if (!/\s/.test(after.charAt(0)) || /^(?:ja|zh|yue)/.test(language ?? '')) {
    return unspacedCost(left, right, language) + (loneCharacters.test(left) ? costOfLoneWord : 0);
  }
  return spacedCost(left, right, language);
}

const bare = (word: string): string => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}.]+$/gu, '');
/** In lower case; "don't" is a "do". */
const lower = (word: string): string =>
  bare(word)
    .toLowerCase()
    .replace(/(?:n['’]t|['’](?:s|m|d|re|ve|ll))$/u, '');
/** "qu'elle" begins as "que" does, and "d'un" as "de". */
const startOf = (word: string): string => lower(word).replace(/^(qu|d|l|s)['’].*$/u, '$1e');
const isName = (word: string): boolean =>
  /^\p{Lu}[\p{L}'’-]*\p{Ll}/u.test(word) || /^\p{Lu}\.$/u.test(word);

function spacedCost(left: string, right: string, language: string | undefined): number {
  const words = breakWords(language);
  const [, previous = '', ending = ''] = /(?:(\S+)\s+)?(\S*)$/.exec(left)!;
  const [beginning = '', second = '', third = ''] = right.split(/\s+/, 3);
  const [last, first] = [bare(ending), bare(beginning)];
  const end = lower(last).replace(/^.*['’](?=.)/u, '');
  const [begin, next] = [startOf(beginning), startOf(second)];
  if (/^\p{Nd}+$/u.test(last)) return breakCosts.number;
  const isGerman = /^de/.test(language ?? '');
  /** "vom ersten Tag an / bei" */
  const isPostposed = (word: string, following: string): boolean =>
    isGerman && word !== 'bis' && [word, following].every((each) => words?.phrase.has(each));
  if (words?.tied.has(end)) {
    return isPostposed(end, begin) ? breakCosts.beforePhrase : breakCosts.tied;
  }
  const isAfterArticle = words?.articles.has(lower(previous)) ?? false;
  const isAtStart = previous === '' || endsSentence(previous);
  // Every noun of German has a capital.
  const isNoun = isGerman && /^\p{Lu}/u.test(last);
  if (!(isNoun && isAfterArticle) && isName(last) && isName(first) && !isAtStart) {
    return breakCosts.name;
  }
  if (!words) return breakCosts.other;
  const isHeld = words.held.has(end);
  const isAlone = isAtStart || words.clause.has(lower(previous)) || endsClause.test(previous);
  // "desde que" begins a clause; "si vite que" does not before "que".
  const isPair = words.phrase.has(begin) && words.clause.has(next);
  const isDegree = words.articles.has(begin) && words.clause.has(startOf(third));
  if (isPair || (words.clause.has(begin) && !isDegree)) {
    const cost = isHeld ? breakCosts.beforePhrase : breakCosts.beforeClause;
    return cost + (isAlone ? costOfLoneWord : 0);
  }
  const isLast = endsClause.test(beginning) || endsWithMark(beginning);
  const isLone = isAlone || isLast || words.clause.has(next);
  return phraseCost(words) + (isLone ? costOfLoneWord : 0);

  function phraseCost({
    enclitics,
    ofNouns,
    phrase,
    held,
    articles,
    infinitive,
    verb,
  }: BreakWords) {
    if (isHeld || enclitics.has(begin)) return breakCosts.held;
    if (ofNouns.has(begin) && !infinitive?.test(next)) return breakCosts.beforeOf;
    // "what they look / at."
    const isParticle = isLast || isPostposed(begin, next);
    if (phrase.has(begin)) return isParticle ? breakCosts.held : breakCosts.beforePhrase;
    // "a small / town" parts a phrase; before a verb or an article, and behind a noun of German, it has ended.
    const isVerb = held.has(begin) || infinitive?.test(begin) || verb?.test(begin);
    if (isVerb || articles.has(begin) || isNoun) return breakCosts.besidePhrase;
    if (isAfterArticle || (isGerman && isName(first))) return breakCosts.inPhrase;
    return breakCosts.other;
  }
}

const loneCharacters = /[、，；：][^、，；：]{1,2}$/u;
const chineseClause =
  /^(?:但是|不过|可是|因为|所以|如果|虽然|而且|然后|或者|以防|并且|只要|是怎么|以便|以免)/u;
const chineseClauseEnd = /(?:的话|的时候|以后|之后)$/u;
const chinesePhrase =
  /^(?:在|从|对|向|给|跟|把|被|为|用|比|当|到|等|创造|就|都|也|才|却|还|好像|已经|一直|必须)/u;
/** What ends a phrase. */
const chineseEnd = /^(?:起(?![来床])|[的了着吗呢吧里]|以[前后]|之[前后]|时(?!间))/u;
const chineseTied =
  /(?:在|从|对|向|给|跟|把|被|为|用|比|当|和|与|一|两|这|那|几|个|很|最|不|没|没有|先|再|又|[一二两三四五六七八九十几多这那每][个位名只条张本件种辆座]|不过|但是|因为|所以|如果|虽然|而且|然后|已经|也|都|就|才|还|会|要|将)$/u;
const japaneseClause =
  /(?:ので|[うくぐすつぬぶむるたいだでて]から|けれど|けど|のに|れば|たら|なら|ながら|とき|って|[いえきしちりっけせてねべめれ]て|んで|と|か)$/u;
/** A verb in kanji with its ending: it goes with what stands before it. */
const japaneseVerb = /^\p{Script=Han}{1,2}(?![のはがをにとも])\p{Script=Hiragana}/u;
/** What stands before its noun. */
const adnominal = /[いなたるの]$/u;
const japanesePhrase = /[をにがでもへ]$/u;

function unspacedCost(left: string, right: string, language: string | undefined): number {
  if (/^ja/.test(language ?? '')) {
    if (/^(?:方を|以上|以下|以内|くらい|ほど|前|後)/u.test(right)) return breakCosts.number;
    // "小さな / 空港", "すると / 約束した"
    const isHeld = adnominal.test(left) && /^[\p{Script=Han}\p{Script=Katakana}]/u.test(right);
    if (isHeld || /の$/u.test(left)) return breakCosts.held;
    if (/とは?$/u.test(left) && /^[思言約考聞]/u.test(right)) return breakCosts.held;
    if (japaneseClause.test(left)) return breakCosts.beforeClause;
    if (/[こそあど]んなに$/u.test(left)) return breakCosts.held;
    if (japaneseVerb.test(right)) {
      return /を$/u.test(left) ? breakCosts.besidePhrase : breakCosts.inPhrase;
    }
    if (/は$/u.test(left)) return breakCosts.afterTopic;
    return japanesePhrase.test(left) ? breakCosts.beforePhrase : breakCosts.other;
  }
  if (/^(?:zh|yue)/.test(language ?? '')) {
    if (chineseTied.test(left)) return breakCosts.tied;
    if (/的$/u.test(left) || chineseEnd.test(right)) return breakCosts.held;
    if (chineseClause.test(right) || chineseClauseEnd.test(left)) return breakCosts.beforeClause;
    if (chinesePhrase.test(right)) return breakCosts.beforePhrase;
  }
  return breakCosts.other;
}
