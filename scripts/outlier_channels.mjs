// Trained transformers carry a few channels hundreds of times larger than the rest, in the last blocks above all. This
// gives them to random weights: what every block writes to a handful of residual channels, and a handful of its layer norms'
// gains, are scaled by factors that grow from block to block up to 50 to 500. The last norm of either side weighs all
// channels alike, so that logits depend on more than the handful.

/**
 * @typedef {{
 *   readonly name: string;
 *   readonly shape: readonly number[];
 *   readonly fill: (values: Float32Array, random: () => number) => void;
 * }} RandomTensor
 */
const handful = 5;
const [least, most] = [50, 500];

/** `handful` different channels, each with its factor in the last block, the same for the same `random`. */
function draw(channels, random) {
  const chosen = new Map();
  while (chosen.size < handful) {
    const channel = Math.floor(((random() + 1) / 2) * channels) % channels;
    chosen.set(channel, least * (most / least) ** ((random() + 1) / 2));
  }
  return chosen;
}

/**
 * The tensors with fillers that scale what they filled. `tensors`: {name, shape, fill} by the hub's names; `blocks`: their
 * number by 'encoder' and 'decoder'; `random`: uniform in −1 … 1.
 * @type {(tensors: readonly RandomTensor[], state: number, blocks: Readonly<Record<'encoder' | 'decoder', number>>, random: () => number) => RandomTensor[]}
 */
export function withOutliers(tensors, state, blocks, random) {
  const channels = Object.fromEntries(
    Object.keys(blocks).map((side) => [
      side,
      { residual: draw(state, random), gain: draw(state, random) },
    ]),
  );
  /** What the last norm would do to the other channels, undone; and the outliers made like them. */
  const levelled = (tensor, residual) => (values, random) => {
    tensor.fill(values, random);
    const power = [...residual.values()].reduce((sum, factor) => sum + factor * factor, 0);
    const shrinkage = Math.sqrt(1 + power / state);
    for (let i = 0; i < state; ++i) values[i] *= shrinkage / (residual.get(i) ?? 1);
  };
  return tensors.map((tensor) => {
    const last = /^model\.(\w+)\.layer_norm\.weight$/.exec(tensor.name)?.[1];
    if (last) return { ...tensor, fill: levelled(tensor, channels[last].residual) };
    const [, side, index, part] = /^model\.(\w+)\.layers\.(\d+)\.(.*)$/.exec(tensor.name) ?? [];
    const kind = /(out_proj|fc2)\.\w+$/.test(part)
      ? 'residual'
      : /norm\.weight$/.test(part)
        ? 'gain'
        : undefined;
    if (!kind) return tensor;
    const share = (Number(index) + 1) / blocks[side];
    const row = tensor.shape[1] ?? 1;
    const fill = (values, random) => {
      tensor.fill(values, random);
      for (const [channel, factor] of channels[side][kind]) {
        for (let i = channel * row; i < (channel + 1) * row; ++i) values[i] *= factor ** share;
      }
    };
    return { ...tensor, fill };
  });
}
