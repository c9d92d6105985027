/**
 * Rows as lines, columns under each other: the first ones to the left, the next, which are numbers, to the right, and what is behind those to the
 * left.
 */
export function table(
  rows: readonly (readonly string[])[],
  leftColumns: number,
  numberColumns = Infinity,
): string[] {
  const widths = rows[0]?.map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  const pad = (cell: string, column: number): string =>
    column < leftColumns || column >= leftColumns + numberColumns
      ? cell.padEnd(widths?.[column] ?? 0)
      : cell.padStart(widths?.[column] ?? 0);
  return rows.map((row) => `  ${row.map(pad).join('  ')}`);
}
