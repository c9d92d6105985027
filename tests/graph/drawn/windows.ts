// Convolutions, pools, resizing.
import type { OnnxAttribute } from '../../support/onnx_writer.js';
import { drawnBy, tensor, weight, type Draw, type Draws, type DrawTable } from './draws.js';

interface Window {
  readonly kernel: number[];
  readonly strides: number[];
  readonly dilations: number[];
  readonly pads: number[];
  readonly attributes: Record<string, OnnxAttribute>;
}

/** Pads smaller than the kernel, or SAME and VALID. */
function drawWindow(draws: Draws, rank: number): Window {
  const kernel = draws.integerList(rank, 1, 3);
  const strides = draws.integerList(rank, 1, 3);
  const isDilated = draws.is();
  const dilations = isDilated ? draws.integerList(rank, 1, 2) : kernel.map(() => 1);
  const pads = [...kernel, ...kernel].map((size) => draws.integer(0, Math.min(2, size - 1)));
  const attributes: Record<string, OnnxAttribute> = { kernel_shape: kernel, strides };
  if (isDilated) attributes.dilations = dilations;
  if (!isDilated && draws.is(0.4)) {
    attributes.auto_pad = draws.one(['SAME_UPPER', 'SAME_LOWER', 'VALID']);
    pads.fill(0);
  } else if (draws.is(0.7)) attributes.pads = pads;
  else pads.fill(0);
  return { kernel, strides, dilations, pads, attributes };
}

const convolution: Draw = (draws, op) => {
  const rank = draws.integer(1, op === 'Conv' ? 3 : 2);
  const { kernel, attributes } = drawWindow(draws, rank);
  const [groups, inward, outward] = [draws.integer(1, 3), draws.integer(1, 3), draws.integer(1, 3)];
  const size = draws.list(rank, () => draws.integer(6, 10));
  const x = [draws.integer(1, 2), inward * groups, ...size];
  const w = [outward * groups, inward, ...kernel];
  attributes.group = groups;
  if (op === 'Conv') {
    const bias = draws.is() ? [draws.floats([outward * groups])] : [];
    const weights = draws.floats(w);
    return {
      op,
      inputs: [draws.floats(x), draws.is() ? weight(weights) : weights, ...bias],
      attributes,
    };
  }
  const inputs = [draws.whole('u8', x, 0, 200), draws.whole('u8', w, 0, 200)];
  if (draws.is(0.6)) inputs.push(draws.whole('u8', [], 0, 100));
  if (inputs.length > 2 && draws.is()) inputs.push(draws.whole('u8', [], 0, 100));
  return { op, inputs, attributes };
};

const transposed: Draw = (draws, op) => {
  const rank = draws.integer(1, 2);
  const { kernel, strides, dilations, attributes } = drawWindow(draws, rank);
  const [groups, inward, outward] = draws.integerList(3, 1, 2) as [number, number, number];
  attributes.group = groups;
  if (attributes.auto_pad === undefined && draws.is(0.4)) {
    attributes.output_padding = strides.map((stride, i) =>
      draws.integer(0, Math.min(1, Math.max(stride, dilations[i] ?? 1) - 1)),
    );
  }
  const bias = draws.is() ? [draws.floats([outward * groups])] : [];
  const size = draws.list(rank, () => draws.integer(3, 6));
  return {
    op,
    inputs: [
      draws.floats([draws.integer(1, 2), inward * groups, ...size]),
      draws.floats([inward * groups, outward, ...kernel]),
      ...bias,
    ],
    attributes,
  };
};

/** A last window that begins behind the end is none in ONNX, but one in onnxruntime 1.20: such are not drawn. */
const pool: Draw = (draws, op) => {
  const rank = draws.integer(1, 3);
  const { kernel, strides, dilations, pads, attributes } = drawWindow(draws, rank);
  const size = draws.list(rank, () => draws.integer(6, 9));
  const isMax = op === 'MaxPool';
  const countsPads = !isMax && draws.is();
  if (countsPads) attributes.count_include_pad = 1;
  const canCeil = size.every((dim, i) => {
    const [before, after] = [pads[i] ?? 0, pads[i + rank] ?? 0];
    const reach = (dilations[i] ?? 1) * ((kernel[i] ?? 1) - 1) + 1;
    const stride = strides[i] ?? 1;
    const last = Math.ceil((dim + before + after - reach) / stride) * stride;
    return last < dim + before;
  });
  if (canCeil && !countsPads && attributes.auto_pad === undefined && draws.is()) {
    attributes.ceil_mode = 1;
  }
  const x = draws.floats([draws.integer(1, 2), draws.integer(1, 3), ...size]);
  return { op, inputs: [x], attributes, opset: isMax ? 17 : 19 };
};

const resize: Draw = (draws, op) => {
  const mode = draws.one(['nearest', 'linear', 'cubic']);
  const rank = mode === 'nearest' ? draws.integer(2, 5) : 4;
  const shape = [...draws.integerList(2, 1, 2), ...draws.integerList(rank - 2, 2, 6)];
  const factors = shape.map((_, i) => (i < 2 ? 1 : draws.one([0.5, 0.8, 1, 1.5, 2, 2.6])));
  const scales = weight(tensor('f32', [rank], factors));
  const x = draws.floats(shape);
  if (mode !== 'cubic' && draws.is(0.2)) {
    return { op, inputs: [x, scales], attributes: { mode }, opset: 10 };
  }
  const attributes: Record<string, OnnxAttribute> = {
    mode,
    coordinate_transformation_mode: draws.one([
      'half_pixel',
      'asymmetric',
      'align_corners',
      'pytorch_half_pixel',
    ]),
  };
  if (mode === 'nearest') {
    attributes.nearest_mode = draws.one([
      'round_prefer_floor',
      'round_prefer_ceil',
      'floor',
      'ceil',
    ]);
  }
  if (mode === 'cubic') {
    attributes.cubic_coeff_a = { float: draws.one([-0.5, -0.75]) };
    attributes.exclude_outside = draws.integer(0, 1);
  }
  if (draws.is()) return { op, inputs: [x, null, scales], attributes };
  const sizes = shape.map((dim, i) => (i < 2 ? dim : draws.integer(1, 9)));
  return { op, inputs: [x, null, null, weight(tensor('i64', [rank], sizes))], attributes };
};

/** Resize before version 10: scales are an attribute before version 9. */
const upsample: Draw = (draws, op) => {
  const shape = [...draws.integerList(2, 1, 2), ...draws.integerList(2, 2, 4)];
  const factors = [1, 1, draws.integer(1, 3), draws.integer(1, 3)];
  const mode = draws.one(['nearest', 'linear']);
  const x = draws.floats(shape);
  if (draws.is(0.4)) {
    return { op, inputs: [x], attributes: { mode, scales: { floats: factors } }, opset: 8 };
  }
  return {
    op,
    inputs: [x, weight(tensor('f32', [4], factors))],
    attributes: { mode },
    opset: 9,
  };
};

const blocks: Draw = (draws, op) => {
  const blocksize = draws.integer(1, 3);
  const [batch, channels, rows, columns] = draws.integerList(4, 1, 3) as [
    number,
    number,
    number,
    number,
  ];
  if (op === 'SpaceToDepth') {
    const shape = [batch, channels, rows * blocksize, columns * blocksize];
    return { op, inputs: [draws.floats(shape)], attributes: { blocksize } };
  }
  const x = draws.floats([batch, channels * blocksize * blocksize, rows, columns]);
  return { op, inputs: [x], attributes: { blocksize, mode: draws.one(['DCR', 'CRD']) } };
};

export const windows: DrawTable = {
  ...drawnBy(['Conv', 'ConvInteger'], convolution),
  ConvTranspose: transposed,
  ...drawnBy(['MaxPool', 'AveragePool'], pool),
  ...drawnBy(['GlobalAveragePool', 'GlobalMaxPool'], (draws, op) => ({
    op,
    inputs: [draws.floats(draws.shape(3, 5, 4))],
  })),
  Resize: resize,
  Upsample: upsample,
  ...drawnBy(['DepthToSpace', 'SpaceToDepth'], blocks),
};
