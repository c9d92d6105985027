// TenniS operators that repeat, cut, pad or choose elements by place.
import type { GraphTensor } from '../../support/onnx_writer.js';
import {
  at,
  broadcastIndex,
  broadcastShape,
  constants,
  filled,
  replaced,
  reshaped,
  testOperator,
  type OperatorCase,
} from './operator_cases.js';

const f32 = (shape: readonly number[], element: (index: number[]) => number): GraphTensor =>
  filled('f32', shape, element);

testOperator('broadcast', (draws) =>
  [
    [
      [3, 1],
      [2, 3, 4],
    ],
    [[], [2, 2]],
    [[4], [3, 4]],
    [
      [2, 3],
      [2, 3],
    ],
    [
      [1, 3, 1, 2],
      [2, 3, 3, 2],
    ],
  ].map(([from, to]) => {
    const x = draws.floats(from as number[]);
    const y = f32(to as number[], (index) => at(x, broadcastIndex(x.shape, index)));
    return { inputs: [x, constants(...(to as number[]))], wanted: [y] };
  }),
);

/** The shorter of shape and repeats gets leading ones. */
function tiled(x: GraphTensor, repeats: readonly number[]): GraphTensor {
  const ones = repeats.map(() => 1);
  const long = reshaped(x, broadcastShape(x.shape, ones));
  const times = [...long.shape.slice(repeats.length).map(() => 1), ...repeats];
  const shape = long.shape.map((dim, axis) => dim * (times[axis] as number));
  return f32(shape, (index) =>
    at(
      long,
      index.map((place, axis) => place % (long.shape[axis] as number)),
    ),
  );
}

const tilings: readonly (readonly [shape: number[], repeats: number[]])[] = [
  [
    [2, 3],
    [2, 1],
  ],
  [
    [2, 3],
    [1, 3],
  ],
  [
    [2, 3],
    [2, 2],
  ],
  [[2, 3], [2]],
  [[3], [2, 2]],
  [
    [2, 1, 3],
    [1, 3, 2],
  ],
  [[4], [1]],
];

testOperator('tile', (draws) =>
  tilings.map(([shape, repeats]) => {
    const x = draws.floats(shape);
    return { inputs: [x], attributes: { repeats }, wanted: [tiled(x, repeats)] };
  }),
);

testOperator('tile_v2', (draws) =>
  tilings.map(([shape, repeats]) => {
    const x = draws.floats(shape);
    return { inputs: [x, constants(...repeats)], wanted: [tiled(x, repeats)] };
  }),
);

/** A part of x of another shape: where it begins, how far apart its elements are. */
const part = (x: GraphTensor, shape: number[], begin: number[], steps = shape.map(() => 1)) =>
  f32(shape, (index) =>
    at(
      x,
      index.map((place, axis) => (begin[axis] as number) + place * (steps[axis] as number)),
    ),
  );

testOperator('slice_v2', (draws) => {
  const x = draws.floats([4, 5, 3]);
  const slice = (begin: number[], size: number[], wanted: GraphTensor): OperatorCase => ({
    inputs: [x, constants(...begin), constants(...size)],
    wanted: [wanted],
  });
  return [
    slice([1, 2, 0], [2, 3, 1], part(x, [2, 3, 1], [1, 2, 0])),
    slice([1, 2, 0], [-1, 2, -1], part(x, [3, 2, 3], [1, 2, 0])),
    slice([0, 0, 2], [-1, -1, -1], part(x, [4, 5, 1], [0, 0, 2])),
    slice([0, 0, 0], [4, 5, 3], x),
  ];
});

testOperator('slice_v3', (draws) => {
  const x = draws.floats([4, 7, 3]);
  const slice = (lists: number[][], wanted: GraphTensor): OperatorCase => ({
    inputs: [x, ...lists.map((list) => constants(...list))],
    wanted: [wanted],
  });
  const all = [0, 1, 2];
  return [
    slice(
      [
        [1, 2, 0],
        [3, 6, 2],
      ],
      part(x, [2, 4, 2], [1, 2, 0]),
    ),
    slice(
      [
        [1, 2],
        [3, 6],
      ],
      part(x, [2, 4, 3], [1, 2, 0]),
    ),
    slice(
      [
        [-5, 1],
        [-1, 99],
        [1, 2],
      ],
      part(x, [4, 4, 2], [0, 2, 1]),
    ),
    slice([[2], [5], [-2]], part(x, [4, 3, 3], [0, 2, 0])),
    slice([[0, 1, 0], [4, 7, 3], all, [2, 3, 1]], part(x, [2, 2, 3], [0, 1, 0], [2, 3, 1])),
    slice([[6], [1], [1], [-2]], part(x, [4, 3, 3], [0, 6, 0], [1, -2, 1])),
    slice([[-1], [-7], [1], [-1]], part(x, [4, 0, 3], [0, 6, 0])),
    slice([[0], [-8], [1], [1]], part(x, [4, 0, 3], [0, 0, 0])),
    slice([[5], [2], [1], [1]], part(x, [4, 0, 3], [0, 0, 0])),
  ];
});

testOperator('strided_slice', (draws) => {
  const x = draws.floats([4, 7, 3]);
  const slice = (attributes: OperatorCase['attributes'], wanted: GraphTensor): OperatorCase => ({
    inputs: [x],
    attributes: attributes ?? {},
    wanted: [wanted],
  });
  const cut = { begin: [1, 2, 0], end: [3, 7, 2] };
  return [
    slice(cut, part(x, [2, 5, 2], [1, 2, 0])),
    slice({ ...cut, stride: [1, 2, 1] }, part(x, [2, 3, 2], [1, 2, 0], [1, 2, 1])),
    slice({ begin: [1], end: [3] }, part(x, [2, 7, 3], [1, 0, 0])),
    slice({ begin: [-3, -2, 0], end: [-1, 99, 3] }, part(x, [2, 2, 3], [1, 5, 0])),
    slice(
      { begin: [3, 5, 0], end: [0, 1, 3], stride: [-1, -2, 1] },
      part(x, [3, 2, 3], [3, 5, 0], [-1, -2, 1]),
    ),
    slice({ ...cut, begin_mask: 2 }, part(x, [2, 7, 2], [1, 0, 0])),
    slice({ ...cut, end_mask: 5 }, part(x, [3, 5, 3], [1, 2, 0])),
    slice(
      { begin: [0, 0, 0], end: [0, 0, 0], stride: [-1, 1, 1], begin_mask: 7, end_mask: 7 },
      part(x, [4, 7, 3], [3, 0, 0], [-1, 1, 1]),
    ),
    slice({ ...cut, shrink_axis_mask: 1 }, reshaped(part(x, [1, 5, 2], [1, 2, 0]), [5, 2])),
    slice(
      { begin: [-1, 0, 1], end: [0, 7, 2], shrink_axis_mask: 5 },
      reshaped(part(x, [1, 7, 1], [3, 0, 1]), [7]),
    ),
    slice({ begin: [0, 1], end: [0, 2], ellipsis_mask: 1 }, part(x, [4, 7, 1], [0, 0, 1])),
    slice({ begin: [1, 0, 1], end: [3, 0, 3], ellipsis_mask: 2 }, part(x, [2, 7, 2], [1, 0, 1])),
    slice(
      { begin: [1, 0, 2], end: [3, 0, 5], new_axis_mask: 2 },
      reshaped(part(x, [2, 3, 3], [1, 2, 0]), [2, 1, 3, 3]),
    ),
  ];
});

testOperator('crop_nd', (draws) => {
  const x = draws.floats([3, 7, 6]);
  const crop = (size: number[], shift?: number[]): OperatorCase => {
    const kept = x.shape.map(
      (dim, axis) => ((size[axis] as number) > 0 ? size[axis] : dim) as number,
    );
    const before = x.shape.map((dim, axis) =>
      shift && (size[axis] as number) > 0
        ? -(shift[axis] as number)
        : Math.trunc(((kept[axis] as number) - dim) / 2),
    );
    const wanted = f32(kept, (index) => {
      const from = index.map((place, axis) => place - (before[axis] as number));
      const isInside = from.every((place, axis) => place >= 0 && place < (x.shape[axis] as number));
      return isInside ? at(x, from) : 0;
    });
    return {
      inputs: [x, constants(...size)],
      attributes: shift ? { shift } : {},
      wanted: [wanted],
    };
  };
  return [crop([3, 4, 9]), crop([5, 2, 6]), crop([-1, 0, 3]), crop([2, 7, 3], [1, 0, 2])];
});

testOperator('crop_to', (draws) => {
  const x = draws.floats([2, 3, 7, 6]);
  const crop = (attributes: OperatorCase['attributes'], shape: number[], begin: number[]) => ({
    inputs: [x, draws.floats([1, 2, 4, 3])],
    attributes: attributes ?? {},
    wanted: [part(x, shape, begin)],
  });
  return [
    crop({}, [2, 3, 4, 3], [0, 0, 0, 0]),
    crop({ offset: [1, 2] }, [2, 3, 4, 3], [0, 0, 1, 2]),
    crop({ axis: 3 }, [2, 3, 7, 3], [0, 0, 0, 0]),
    crop({ axis: 1, offset: [1, 0, 3] }, [2, 2, 4, 3], [0, 1, 0, 3]),
    crop({ axis: -1, offset: [2] }, [2, 3, 7, 3], [0, 0, 0, 2]),
  ];
});

testOperator('_limit', (draws) => {
  const x = draws.floats([2, 3, 7, 6]);
  const limit = (shape: number[], wanted: GraphTensor): OperatorCase => ({
    inputs: [x],
    attributes: { shape },
    wanted: [wanted],
  });
  return [
    limit([5, 4], part(x, [2, 3, 5, 4], [0, 0, 1, 1])),
    limit([4, 9], part(x, [2, 3, 4, 6], [0, 0, 1, 0])),
    limit([0, 3], part(x, [2, 3, 7, 3], [0, 0, 0, 1])),
    limit([-1, 1, -1, 2], part(x, [2, 1, 7, 2], [0, 1, 0, 2])),
    limit([7, 6], x),
    limit([9, 9, 9, 9], x),
  ];
});

testOperator('divided', (draws) => {
  const x = draws.floats([2, 3, 7, 6]);
  const pad = (shape: number[], size: number[], padding_value?: number): OperatorCase => ({
    inputs: [x],
    attributes: padding_value === undefined ? { size } : { size, padding_value },
    wanted: [
      f32(shape, (index) =>
        index.every((place, axis) => place < (x.shape[axis] as number))
          ? at(x, index)
          : (padding_value ?? 0),
      ),
    ],
  });
  return [
    pad([2, 3, 8, 8], [4, 4]),
    pad([2, 3, 10, 6], [5, 3], 1.5),
    pad([2, 3, 7, 8], [8], -2),
    pad([4, 3, 9, 6], [4, 1, 3, 2], 7),
    pad([2, 3, 7, 6], [7, 2]),
  ];
});

testOperator('_dimshuffle', (draws) => {
  const shuffle = (shape: number[], dim: number, places: number[]): OperatorCase => {
    const x = draws.floats(shape);
    const axis = (dim + shape.length) % shape.length;
    const y = f32(replaced(shape, axis, places.length), (index) =>
      at(x, replaced(index, axis, places[index[axis] as number] as number)),
    );
    return { inputs: [x], attributes: { dim, shuffle: places }, wanted: [y] };
  };
  return [
    shuffle([2, 3, 4], 1, [2, 1, 0]),
    shuffle([3, 2], 0, [2, 0]),
    shuffle([2, 3], 1, [0, 0, 2, 2, 1]),
    shuffle([2, 3, 4], -1, [3, 0, 1, 2]),
    shuffle([4], 0, [1]),
  ];
});

testOperator('split', (draws) => {
  const split = (shape: number[], axis: number, sizes: number[]): OperatorCase => {
    const x = draws.floats(shape);
    const along = (axis + shape.length) % shape.length;
    const begin = (place: number): number => sizes.slice(0, place).reduce((a, b) => a + b, 0);
    const none = shape.map(() => 0);
    return {
      inputs: [x, constants(...sizes)],
      attributes: { axis },
      wanted: sizes.map((size, i) =>
        part(x, replaced(shape, along, size), replaced(none, along, begin(i))),
      ),
    };
  };
  return [
    split([5], 0, [2, 3]),
    split([2, 6, 3], 1, [1, 2, 3]),
    split([2, 3, 4], -1, [3, 1]),
    split([4, 2], -2, [1, 1, 2]),
    split([2, 3], 1, [3]),
  ];
});
