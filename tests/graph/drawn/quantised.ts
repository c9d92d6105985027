// Operators on integers with scales.
import { weight, type Draw, type DrawTable } from './draws.js';

/** One scale, or one for each index of the axis. */
const scaled: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const axis = draws.integer(0, shape.length - 1);
  const dims = draws.is() ? [shape[axis] ?? 1] : [];
  const type = draws.one(['u8', 'i8'] as const);
  const scale = weight(draws.positive(dims));
  const hasZero = dims.length > 0 || draws.is(0.7);
  const zero = hasZero ? [weight(draws.whole(type, dims, type === 'u8' ? 0 : -20, 100))] : [];
  if (op === 'QuantizeLinear') {
    return { op, inputs: [draws.floats(shape, 16), scale, ...zero], attributes: { axis } };
  }
  const x = draws.whole(hasZero ? type : 'u8', shape, 0, 100);
  return { op, inputs: [x, scale, ...zero], attributes: { axis } };
};

const product: Draw = (draws, op) => {
  const [m, k, n] = [draws.integer(1, 6), draws.integer(1, 6), draws.integer(1, 6)];
  const type = draws.one(['u8', 'i8'] as const);
  const a = draws.whole('u8', [m, k], 0, 200);
  const b = draws.whole(type, [k, n], type === 'u8' ? 0 : -100, 100);
  if (draws.is(0.4)) return { op, inputs: [a, weight(b)] };
  const zeroOfB = draws.whole(type, draws.is() ? [n] : [], 0, 20);
  return { op, inputs: [a, weight(b), draws.whole('u8', [], 0, 100), weight(zeroOfB)] };
};

export const quantised: DrawTable = {
  QuantizeLinear: scaled,
  DequantizeLinear: scaled,
  DynamicQuantizeLinear: (draws, op) => ({
    op,
    inputs: [draws.floats(draws.shape())],
    outputs: 3,
  }),
  MatMulInteger: product,
};
