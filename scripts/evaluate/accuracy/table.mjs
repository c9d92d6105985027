// Rows of measurements as tables for people.

const digits = (value, count = 2) => `${Number(value.toPrecision(count))}`;
const error = (value) => (value < 1e-5 ? '0' : `${digits(100 * value)} %`);
const share = (value) => `${Number((100 * value).toFixed(1))} %`;
const words = (value) => `${Number(value.toFixed(1))}`;

/** Measure → its heading and how its figure is written. */
const measures = {
  encoder: ['encoder', error],
  worstChannel: ['worst channel', error],
  logits: ['logits', error],
  correlation: ['correlation', (value) => value.toFixed(5)],
  top1: ['top-1', share],
  greedy: ['greedy', share],
  digitWords: ['digits', words],
  otherWords: ['others', words],
};
const comparisons = {
  weights: Object.keys(measures),
  same: ['encoder', 'worstChannel', 'logits', 'top1', 'digitWords', 'otherWords'],
};

const cell = (value, write) => (value === undefined ? '' : write(value));

/** Cells of a row by heading: what the formats share, then each comparison's. */
export function tableRow(row) {
  const cells = { model: row.model, variant: row.variant, weights: row.dtype };
  for (const [comparison, names] of Object.entries(comparisons)) {
    for (const name of names) {
      const [heading, write] = measures[name];
      const prefix = comparison === 'same' ? 'same: ' : '';
      cells[prefix + heading] = cell(row[comparison][name], write);
    }
  }
  return cells;
}

export const asMarkdown = (rows) => markdownTable(rows.map(tableRow), 3);

/** Rows of cells by heading; the first `textColumns` are texts. */
export function markdownTable(rows, textColumns = 2) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const headings = Object.keys(rows[0] ?? {});
  return [
    line(headings),
    line(headings.map((_, i) => (i < textColumns ? '---' : '---:'))),
    ...rows.map((row) => line(Object.values(row))),
  ].join('\n');
}
