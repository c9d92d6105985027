// Operators that work element by element.
import { onnxDataType } from '../../support/onnx_writer.js';
import { countOf, drawnBy, scalar, tensor, weight, type Draw, type DrawTable } from './draws.js';

const onFloats: Draw = (draws, op) => ({ op, inputs: [draws.floats(draws.shape())] });

const withAlpha: Draw = (draws, op) => ({
  ...onFloats(draws, op),
  attributes: draws.is() ? { alpha: { float: draws.one([0.3, 1.5]) } } : {},
});

/** Floats or integers; what divides is not near 0. */
const arithmetic: Draw = (draws, op) => {
  const shape = draws.shape();
  const other = draws.narrower(shape);
  const divides = op === 'Div' || op === 'Mod';
  if (op !== 'Mod' && draws.is()) {
    const divisor = draws.floats(other, divides ? 0.5 : 2, divides ? 5 : 0);
    const inputs = [draws.floats(shape), divisor];
    return { op, inputs: divides || draws.is() ? inputs : inputs.reverse() };
  }
  const type = draws.one(['i32', 'i64'] as const);
  const divisor = draws.whole(type, other, 1, 8);
  return { op, inputs: [draws.whole(type, shape, -9, 9), divisor] };
};

const modulo: Draw = (draws, op) => {
  if (draws.is(0.6)) return arithmetic(draws, op);
  const shape = draws.shape();
  const divisor = draws.floats(draws.narrower(shape), 0.3, 2.1);
  return { op, inputs: [draws.floats(shape), divisor], attributes: { fmod: 1 } };
};

const power: Draw = (draws, op) => {
  const shape = draws.shape();
  if (draws.is()) {
    return { op, inputs: [draws.floats(shape), scalar('f32', draws.one([0, 1, 2, 3]))] };
  }
  return { op, inputs: [draws.positive(shape, 0.1), draws.floats(draws.narrower(shape), 1)] };
};

const comparison: Draw = (draws, op) => {
  const shape = draws.shape();
  const type = draws.one(['f32', 'i32', 'i64'] as const);
  return {
    op,
    inputs: [draws.whole(type, shape, -2, 2), draws.whole(type, draws.narrower(shape), -2, 2)],
  };
};

const logic: Draw = (draws, op) => {
  const shape = draws.shape();
  const first = draws.whole('bool', shape, 0, 1);
  if (op === 'Not') return { op, inputs: [first] };
  return { op, inputs: [first, draws.whole('bool', draws.narrower(shape), 0, 1)] };
};

const several: Draw = (draws, op) => {
  const shape = draws.shape();
  const others = draws.list(draws.integer(0, 3), () => draws.floats(draws.narrower(shape)));
  return { op, inputs: [draws.floats(shape), ...others] };
};

const where: Draw = (draws, op) => {
  const shape = draws.shape();
  const condition = draws.whole('bool', draws.narrower(shape), 0, 1);
  const type = draws.one(['f32', 'i64'] as const);
  const of = (dims: number[]) =>
    type === 'f32' ? draws.floats(dims) : draws.whole(type, dims, -9, 9);
  return { op, inputs: [condition, of(shape), of(draws.narrower(shape))] };
};

/** Before version 11 the bounds were attributes. */
const clip: Draw = (draws, op) => {
  const x = draws.floats(draws.shape());
  if (draws.is(0.3)) {
    const min = draws.is(0.7) ? { min: { float: -1.5 } } : {};
    const max = draws.is(0.7) ? { max: { float: 1.25 } } : {};
    return { op, inputs: [x], attributes: { ...min, ...max }, opset: 10 };
  }
  const least = draws.is(0.7) ? weight(scalar('f32', -1.5)) : null;
  const most = draws.is(0.7) ? [weight(scalar('f32', 1.25))] : [];
  return { op, inputs: [x, least, ...most] };
};

const hardSigmoid: Draw = (draws, op) => ({
  ...onFloats(draws, op),
  attributes: draws.is() ? { alpha: { float: 0.3 }, beta: { float: 0.4 } } : {},
});

const cast: Draw = (draws, op) => {
  const from = draws.one(['f32', 'f64', 'i8', 'u8', 'i32', 'i64', 'bool'] as const);
  const to = draws.one(['f32', 'f64', 'i8', 'u8', 'i16', 'i32', 'i64', 'bool'] as const);
  // What does not fit the type is up to each program.
  const least = from === 'u8' || to === 'u8' || from === 'bool' ? 0 : -100;
  const x = draws.whole(from, draws.shape(), least, from === 'bool' ? 1 : 100);
  return { op, inputs: [x], attributes: { to: onnxDataType(to) } };
};

const gelu: Draw = (draws, op) => ({
  ...onFloats(draws, op),
  attributes: { approximate: draws.one(['none', 'tanh']) },
  opset: 20,
});

/** Halves go to the even neighbour. */
const round: Draw = (draws, op) => {
  const shape = draws.shape();
  const halves = draws.integerList(countOf(shape), -7, 7).map((value) => value / 2);
  return { op, inputs: [tensor('f32', shape, halves)] };
};

const signed: Draw = (draws, op) =>
  draws.is(0.6)
    ? onFloats(draws, op)
    : { op, inputs: [draws.whole(draws.one(['i32', 'i64'] as const), draws.shape(), -9, 9)] };

export const elementwise: DrawTable = {
  ...drawnBy(['Ceil', 'Cos', 'Erf', 'Exp', 'Floor', 'Relu', 'Sigmoid', 'Sin'], onFloats),
  ...drawnBy(['Softplus', 'Softsign', 'Tanh', 'HardSwish'], onFloats),
  ...drawnBy(['Abs', 'Neg', 'Sign'], signed),
  ...drawnBy(['Sqrt', 'Log', 'Reciprocal'], (draws, op) => ({
    op,
    inputs: [draws.positive(draws.shape())],
  })),
  Round: round,
  ...drawnBy(['Elu', 'LeakyRelu'], withAlpha),
  ...drawnBy(['Add', 'Sub', 'Mul', 'Div'], arithmetic),
  Mod: modulo,
  PRelu: (draws, op) => {
    const shape = draws.shape();
    return { op, inputs: [draws.floats(shape), draws.floats(draws.narrower(shape))] };
  },
  Pow: power,
  ...drawnBy(['Less', 'LessOrEqual', 'Greater', 'GreaterOrEqual', 'Equal'], comparison),
  ...drawnBy(['And', 'Or', 'Xor', 'Not'], logic),
  ...drawnBy(['Max', 'Min', 'Sum'], several),
  Where: where,
  Clip: clip,
  HardSigmoid: hardSigmoid,
  Cast: cast,
  Gelu: gelu,
};
