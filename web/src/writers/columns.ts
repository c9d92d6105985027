// How wide text is, counted as a terminal and East Asian typography do. It is the same on every host.

/** What readers take for one character: one with its marks, a flag, or emoji that are joined. */
const cluster =
  /\p{RI}\p{RI}|.(?:[\u17D2\u1039].|\p{M}|\p{EMod}|[\u200C\u1160-\u11FF\uD7B0-\uD7FB]|\u200D\p{ExtPict}?|[\u{E0020}-\u{E007F}])*/gsu;

/** Wide and full-width characters (UAX #11), and emoji. */
const wide =
  /[\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18CFF}\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\p{RI}|\uFE0F/u;
const invisible = /^[\p{M}\p{Cf}\p{Cc}]/u;
/** Text of which each UTF-16 unit takes one column, as most does. */
const plain = /^[\x20-\x7E\xA0-\xAC\xAE-\u02FF\u0370-\u0482\u048A-\u058F]*$/;

/** The characters that a reader sees. */
export function clustersOf(text: string): readonly string[] {
  return text.match(cluster) ?? [];
}

/** Columns that text takes in one line: two for a wide character or an emoji, none for a combining mark. */
export function columnsOf(text: string): number {
  if (plain.test(text)) return text.length;
  return clustersOf(text).reduce((width, each) => width + clusterColumns(each), 0);
}

/** Columns of one of clustersOf(). */
export function clusterColumns(each: string): number {
  if (invisible.test(each)) return 0;
  return wide.test(each) ? 2 : 1;
}
