export interface LoadRow {
  readonly where: string;
  readonly dtype: string;
  readonly storage: 'none' | 'lz4';
  readonly source: 'memory' | 'blob' | 'stream';
  readonly variant: string;
  readonly firstMs: number;
  readonly streamMs: number;
  readonly readyMs: number;
  readonly weightBytes: number;
  readonly rate: number;
  readonly ofCopy: number;
  readonly ofCopyFresh: number;
  readonly ofCrc32: number;
  readonly ofLz4?: number;
  readonly ofBound: number;
}
export interface MeasuredLoad {
  readonly models: readonly {
    readonly dtype: string;
    readonly byteCounts: { readonly none: number; readonly lz4: number };
    readonly tensorBytes: number;
    readonly ratio: number;
  }[];
  /** Bytes a second by name. */
  readonly limits: readonly { readonly where: string; readonly [name: string]: number | string }[];
  readonly rows: readonly LoadRow[];
  readonly peaks: readonly {
    readonly dtype: string;
    readonly storage: string;
    readonly variant: string;
    readonly aboveTensors: number;
  }[];
}
export declare function loadProblems(measured: Pick<MeasuredLoad, 'rows' | 'peaks'>): string[];
export declare function loadText(
  measured: MeasuredLoad,
  options: { size: string; runs: number; format: 'text' | 'markdown' },
): string;
