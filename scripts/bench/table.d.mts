export type Column<Row> = readonly [title: string, cell: (row: Row) => string, kind?: 'text'];
export declare function number(value: number | undefined, digits?: number): string;
export declare function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  format?: 'text' | 'markdown',
): string;
