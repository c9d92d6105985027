// Operators that take many elements together: reductions, softmax, products, norms, recurrent layers.
import { drawnBy, integers, scalar, weight, type Draw, type DrawTable } from './draws.js';

/** The axes of sums are an input since version 13, those of the others since 18. */
const reduction: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const x = draws.is(0.8) ? draws.floats(shape) : draws.floats(shape, 0.5, 1.5);
  const keepdims = draws.integer(0, 1);
  const isNew = draws.is(0.4);
  const opset = isNew ? 18 : op === 'ReduceSum' ? 11 : 17;
  if (draws.is(0.2)) {
    // onnxruntime 1.20 knows the attribute in sums alone.
    const noop = isNew && op === 'ReduceSum' && draws.is() ? { noop_with_empty_axes: 1 } : {};
    return { op, inputs: [x], attributes: { keepdims, ...noop }, opset };
  }
  const axes = draws.axes(shape.length);
  if (isNew) return { op, inputs: [x, weight(integers(axes))], attributes: { keepdims }, opset };
  return { op, inputs: [x], attributes: { keepdims, axes }, opset };
};

const place: Draw = (draws, op) => {
  const shape = draws.shape(1);
  return {
    op,
    inputs: [draws.whole('f32', shape, -3, 3)],
    attributes: {
      axis: draws.axis(shape),
      keepdims: draws.integer(0, 1),
      select_last_index: draws.integer(0, 1),
    },
  };
};

const softmax: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const opset = draws.one([11, 17]);
  // The usual axis is 1 before version 13.
  const attributes = draws.is(0.8) || shape.length < 2 ? { axis: draws.axis(shape) } : {};
  return { op, inputs: [draws.floats(shape)], attributes, opset };
};

const matmul: Draw = (draws, op) => {
  const [m, k, n] = [draws.integer(1, 9), draws.integer(1, 9), draws.integer(1, 9)];
  const batch = draws.shape(0, 2);
  const kind = draws.integer(0, 4);
  if (kind === 0) return { op, inputs: [draws.floats([k]), draws.floats([...batch, k, n])] };
  if (kind === 1) return { op, inputs: [draws.floats([...batch, m, k]), draws.floats([k])] };
  const b = draws.floats([...draws.narrower(batch), k, n]);
  return { op, inputs: [draws.floats([...batch, m, k]), draws.is() ? b : weight(b)] };
};

const gemm: Draw = (draws, op) => {
  const [m, k, n] = [draws.integer(1, 9), draws.integer(1, 9), draws.integer(1, 9)];
  const [transA, transB] = [draws.integer(0, 1), draws.integer(0, 1)];
  const b = draws.floats(transB ? [n, k] : [k, n]);
  const c = draws.is(0.7) ? [draws.floats(draws.narrower([m, n]))] : [];
  return {
    op,
    inputs: [draws.floats(transA ? [k, m] : [m, k]), draws.is() ? b : weight(b), ...c],
    attributes: {
      transA,
      transB,
      alpha: { float: draws.one([1, 0.5]) },
      beta: { float: draws.one([1, 2.5]) },
    },
  };
};

const epsilonOf = (value: number) => ({ epsilon: { float: value } });

const batchNorm: Draw = (draws, op) => {
  const channels = draws.integer(1, 4);
  const shape = [draws.integer(1, 3), channels, ...draws.shape(0, 3)];
  const floats = draws.list(3, () => draws.floats([channels]));
  return {
    op,
    inputs: [draws.floats(shape), ...floats, draws.positive([channels], 0.1)],
    attributes: draws.is() ? epsilonOf(1e-3) : {},
    opset: draws.one([9, 14, 17]),
  };
};

const instanceNorm: Draw = (draws, op) => {
  const channels = draws.integer(1, 4);
  const shape = [draws.integer(1, 3), channels, ...draws.list(2, () => draws.integer(3, 6))];
  return {
    op,
    inputs: [draws.floats(shape), draws.floats([channels]), draws.floats([channels])],
    attributes: draws.is() ? epsilonOf(1e-3) : {},
  };
};

/** Many elements: onnxruntime takes the variance of few that are alike from a difference of sums. */
const layerNorm: Draw = (draws, op) => {
  const shape = [...draws.shape(0, 2), draws.integer(8, 20), draws.integer(1, 3)];
  const axis = draws.integer(0, shape.length - 2);
  const dims = shape.slice(axis);
  const bias = draws.is() ? [draws.floats(dims)] : [];
  return {
    op,
    inputs: [draws.floats(shape), draws.floats(dims), ...bias],
    attributes: {
      axis: draws.is() ? axis : axis - shape.length,
      ...(draws.is() ? epsilonOf(1e-3) : {}),
    },
  };
};

/** Steps first, then sequences; four gates of an LSTM, three of a GRU. */
const recurrent: Draw = (draws, op) => {
  const isLstm = op === 'LSTM';
  const gates = isLstm ? 4 : 3;
  const [steps, batch, width, size] = draws.integerList(4, 1, 5) as [
    number,
    number,
    number,
    number,
  ];
  const direction = draws.one(['forward', 'reverse', 'bidirectional']);
  const ways = direction === 'bidirectional' ? 2 : 1;
  const weights = [
    weight(draws.floats([ways, gates * size, width], 0.5)),
    weight(draws.floats([ways, gates * size, size], 0.5)),
  ];
  const bias = draws.is() ? weight(draws.floats([ways, 2 * gates * size], 0.5)) : null;
  const states = draws.list(isLstm ? 2 : 1, () => draws.floats([ways, batch, size], 0.5));
  const tail = draws.is() ? [bias, null, ...states] : bias ? [bias] : [];
  return {
    op,
    inputs: [draws.floats([steps, batch, width]), ...weights, ...tail],
    attributes: {
      hidden_size: size,
      direction,
      ...(isLstm ? {} : { linear_before_reset: draws.integer(0, 1) }),
    },
    outputs: isLstm ? 3 : 2,
  };
};

/** How many is an attribute before version 10. Equal elements keep their order. */
const top: Draw = (draws, op) => {
  const shape = draws.shape(1, 4, 6);
  const axis = draws.axis(shape);
  const count = draws.integer(1, shape.at(axis) ?? 1);
  const x = draws.whole('f32', shape, -4, 4);
  if (draws.is(0.3))
    return { op, inputs: [x], attributes: { axis, k: count }, outputs: 2, opset: 9 };
  return {
    op,
    inputs: [x, weight(integers([count]))],
    attributes: { axis, largest: draws.integer(0, 1), sorted: 1 },
    outputs: 2,
  };
};

const runningSum: Draw = (draws, op) => {
  const shape = draws.shape(1);
  return {
    op,
    inputs: [draws.floats(shape), weight(scalar('i64', draws.axis(shape)))],
    attributes: { exclusive: draws.integer(0, 1), reverse: draws.integer(0, 1) },
  };
};

export const reducing: DrawTable = {
  ...drawnBy(['ReduceL1', 'ReduceL2', 'ReduceMax', 'ReduceMean'], reduction),
  ...drawnBy(['ReduceMin', 'ReduceProd', 'ReduceSum', 'ReduceSumSquare'], reduction),
  ...drawnBy(['ArgMax', 'ArgMin'], place),
  ...drawnBy(['Softmax', 'LogSoftmax'], softmax),
  MatMul: matmul,
  Gemm: gemm,
  BatchNormalization: batchNorm,
  InstanceNormalization: instanceNorm,
  LayerNormalization: layerNorm,
  ...drawnBy(['LSTM', 'GRU'], recurrent),
  TopK: top,
  CumSum: runningSum,
};
