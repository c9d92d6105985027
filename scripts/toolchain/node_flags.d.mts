export declare function relaxedSimdFlags(node?: string): readonly string[] | undefined;
export declare function hasSettledRelaxedSimd(): boolean;
