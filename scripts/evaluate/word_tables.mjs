// Word errors of all recordings, and their tables.
import { markdownTable } from './accuracy/table.mjs';
import { compareWords } from './word_errors.mjs';

/**
 * Counts of one model's words. `expected`, `heard`, `f32`: lists of words of each recording; where the truth of one is not
 * known, the reference's words are expected, and what differs is counted apart.
 */
export function measured(recordings, expected, heard, f32) {
  const row = {
    ...{ words: 0, errors: 0, substitutions: 0, deletions: 0, insertions: 0 },
    ...{ unlikeReference: 0, referenceWords: 0, changed: 0, f32Words: 0 },
  };
  for (const [i, { truth }] of recordings.entries()) {
    const count = compareWords(expected[i], heard[i]);
    row.changed += compareWords(f32[i], heard[i]).errors;
    row.f32Words += f32[i].length;
    if (truth === undefined) {
      row.unlikeReference += count.errors;
      row.referenceWords += expected[i].length;
      continue;
    }
    row.words += expected[i].length;
    for (const kind of ['errors', 'substitutions', 'deletions', 'insertions']) {
      row[kind] += count[kind];
    }
  }
  return row;
}

const rate = ({ errors, words }) => (100 * errors) / words;
const points = (difference) => `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(2)}`;

/** The f32 row that a row is compared with. */
const f32Of = (rows, { strategy, variant }) =>
  rows.find((row) => row.dtype === 'f32' && row.strategy === strategy && row.variant === variant);

/** Markdown by name: `word-errors`, a row for each format, and `word-counts`, a row for each measurement. */
export function tables(rows) {
  const dtypes = [...new Set(rows.map(({ dtype }) => dtype))];
  const kindOf = (row) => `${row.strategy}, ${row.variant}`;
  const kinds = [...new Set(rows.map(kindOf))];
  const cell = (row) => {
    if (!row) return '';
    const difference = rate(row) - rate(f32Of(rows, row));
    return `${rate(row).toFixed(2)} %${row.dtype === 'f32' ? '' : ` (${points(difference)})`}`;
  };
  const errors = dtypes.map((dtype) => ({
    weights: dtype,
    ...Object.fromEntries(
      kinds.map((kind) => [
        kind,
        cell(rows.find((row) => row.dtype === dtype && kindOf(row) === kind)),
      ]),
    ),
  }));
  const counts = rows.map((row) => ({
    strategy: row.strategy,
    variant: row.variant,
    weights: row.dtype,
    'word errors': `${row.errors} of ${row.words}`,
    substituted: row.substitutions,
    deleted: row.deletions,
    inserted: row.insertions,
    'unlike f32': `${row.changed} of ${row.f32Words}`,
    'unlike the reference': `${row.unlikeReference} of ${row.referenceWords}`,
  }));
  return { 'word-errors': markdownTable(errors, 1), 'word-counts': markdownTable(counts, 3) };
}
