// Rows of values as a table for people or for Markdown.

/**
 * @template Row
 * @typedef {readonly [title: string, cell: (row: Row) => string, kind?: 'text']} Column
 */

/**
 * A number with so many digits behind the point; '–' for what was not measured.
 * @type {(value: number | undefined, digits?: number) => string}
 */
export const number = (value, digits = 0) =>
  value === undefined ? '–' : Number.isFinite(value) ? value.toFixed(digits) : String(value);

/**
 * A positive share as percent; '–' where it was not measured or exceeds its own limit, as a noisy run can make it.
 * @type {(share: number | undefined) => string}
 */
export const percent = (share) => (share > 0 && share <= 1 ? `${number(100 * share)} %` : '–');

/**
 * What figures of so many runs are.
 * @type {(runs: number) => string}
 */
export const runsText = (runs) => (runs === 1 ? 'one run' : `medians of ${runs} alternating runs`);

/**
 * columns: [title, (row) => text, 'text' where it is no number]. `format`: 'text' (aligned) or 'markdown'.
 * Columns in which no row has anything are left out.
 * @type {<Row>(rows: readonly Row[], columns: readonly Column<Row>[], format?: 'text' | 'markdown') => string}
 */
export function formatTable(rows, columns, format = 'text') {
  const used = columns.filter(([, cell]) => rows.some((row) => cell(row) !== '–'));
  const lines = [
    used.map(([title]) => title),
    ...rows.map((row) => used.map(([, cell]) => cell(row))),
  ];
  const widths = used.map((_, i) => Math.max(3, ...lines.map((line) => line[i].length)));
  const isText = (i) => used[i][2] === 'text';
  const aligned = lines.map((line) =>
    line.map((cell, i) => (isText(i) ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))),
  );
  if (format === 'text') return aligned.map((line) => line.join('  ').trimEnd()).join('\n');
  const rule = widths.map((width, i) =>
    isText(i) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [aligned[0], rule, ...aligned.slice(1)]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
}
