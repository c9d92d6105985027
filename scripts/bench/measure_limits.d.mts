export declare const leftAt: number;
export declare const rightAt: number;
export declare const sumsAt: number;
export declare const steps: number;
export declare function tileModule(
  name: 'mulAdd' | 'madd' | 'dotI16' | 'relaxedDot',
  rows: number,
): Uint8Array<ArrayBuffer>;
