// What the smallest format that is recommended must keep.

const dtype = 'q8_0';
const goals = {
  digitWords: { least: 98, of: 'words of 100 with digits', kept: (value) => 100 - value },
  otherWords: { least: 98, of: 'words of 100 without digits', kept: (value) => 100 - value },
  top1: { least: 99, of: '% of the largest logits', kept: (value) => 100 * value },
};
/** Beside f32 weights, and beside f32 weights of the values that the format stores: what kernels add to rounded weights. */
const comparisons = { weights: 'f32 weights', same: 'the same values in f32' };

/** @type {(dtype: string) => boolean} */
export const hasGoal = (format) => format === dtype;

/**
 * A sentence for each goal that a row misses.
 * @type {(rows: readonly {
 *     model: string;
 *     variant: string;
 *     dtype: string;
 *     weights: Readonly<Record<string, number>>;
 *     same: Readonly<Record<string, number>>;
 *   }[]) => string[]}
 */
export function missedGoals(rows) {
  return rows
    .filter((row) => hasGoal(row.dtype))
    .flatMap((row) =>
      Object.entries(comparisons).flatMap(([comparison, beside]) =>
        Object.entries(goals).flatMap(([measure, { least, of, kept }]) => {
          const value = row[comparison][measure];
          if (value === undefined || kept(value) >= least) return [];
          const figure = `${kept(value).toFixed(1)} ${of} are kept, of ${least}`;
          return [`${row.model}, ${row.variant}, beside ${beside}: ${figure}`];
        }),
      ),
    );
}
