export declare function hasGoal(dtype: string): boolean;
export declare function missedGoals(
  rows: readonly {
    model: string;
    variant: string;
    dtype: string;
    weights: Readonly<Record<string, number>>;
    same: Readonly<Record<string, number>>;
  }[],
): string[];
