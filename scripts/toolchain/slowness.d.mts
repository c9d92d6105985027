export declare const mostSlowness: number;
export declare function slownessOf(milliseconds: number): number;
export declare function measureSlowness(clock?: () => number, work?: () => unknown): number;
export declare function slownessFrom(text: string | undefined): number;
