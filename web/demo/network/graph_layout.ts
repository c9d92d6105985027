// Where the boxes of a graph lie: in layers, each below all that it takes from.

/** What is drawn as a box: its width, and indices of the boxes that it takes from. */
export interface Box {
  readonly width: number;
  readonly inputs: readonly number[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Top middle of each box, and the way of each edge from the foot of one to the head of another. */
export interface Layout {
  readonly boxes: readonly Point[];
  readonly edges: readonly (readonly Point[])[];
  readonly width: number;
  readonly height: number;
}

export const boxHeight = 44;
const layerGap = 30;
const boxGap = 22;
const margin = 12;
/** The width of an edge that passes a layer. */
const lane = 10;
const sweeps = 12;

/** A box in its layer, or the place where an edge passes it. */
interface Place {
  readonly width: number;
  readonly above: Place[];
  readonly below: Place[];
  x: number;
}

/** Throws nothing: edges go from lower layers to higher ones, and graphs have no cycles. */
export function layOut(boxes: readonly Box[]): Layout {
  const layers = layersOf(boxes);
  const rows: Place[][] = [];
  const places = boxes.map(({ width }, index) => place(rows, layers[index] ?? 0, width));
  const ways = boxes.flatMap(({ inputs }, to) =>
    inputs.map((from) => way(rows, places, layers, from, to)),
  );
  arrange(rows);
  const left = Math.min(0, ...rows.flat().map(({ x, width }) => x - width / 2)) - margin;
  const right = Math.max(0, ...rows.flat().map(({ x, width }) => x + width / 2)) + margin;
  const top = (layer: number): number => margin + layer * (boxHeight + layerGap);
  return {
    boxes: places.map(({ x }, index) => ({ x: x - left, y: top(layers[index] ?? 0) })),
    edges: ways.map(({ layer, passed }) =>
      passed.flatMap(({ x }, i) => {
        const head = { x: x - left, y: top(layer + i) };
        const foot = { x: x - left, y: top(layer + i) + boxHeight };
        if (i === 0) return [foot];
        return i === passed.length - 1 ? [head] : [head, foot];
      }),
    ),
    width: right - left,
    height: top(rows.length) - layerGap + margin,
  };
}

function place(rows: Place[][], layer: number, width: number): Place {
  const made: Place = { width, above: [], below: [], x: 0 };
  (rows[layer] ??= []).push(made);
  return made;
}

/** The places that an edge goes through, one in each layer. */
function way(
  rows: Place[][],
  places: readonly Place[],
  layers: readonly number[],
  from: number,
  to: number,
): { layer: number; passed: Place[] } {
  const layer = layers[from] ?? 0;
  const end = layers[to] ?? 0;
  const passed = [places[from]!];
  for (let at = layer + 1; at <= end; ++at) {
    const next = at === end ? places[to]! : place(rows, at, lane);
    next.above.push(passed.at(-1)!);
    passed.at(-1)!.below.push(next);
    passed.push(next);
  }
  return { layer, passed };
}

/** One below the lowest that it takes from; what takes from nothing lies just above its first use. */
function layersOf(boxes: readonly Box[]): readonly number[] {
  const users: number[][] = boxes.map(() => []);
  for (const [index, { inputs }] of boxes.entries()) {
    for (const from of inputs) users[from]?.push(index);
  }
  const missing = boxes.map(({ inputs }) => inputs.length);
  const layers = boxes.map(() => 0);
  const ready = boxes.flatMap(({ inputs }, index) => (inputs.length === 0 ? [index] : []));
  for (let index = ready.shift(); index !== undefined; index = ready.shift()) {
    for (const user of users[index] ?? []) {
      layers[user] = Math.max(layers[user] ?? 0, (layers[index] ?? 0) + 1);
      missing[user] = (missing[user] ?? 0) - 1;
      if (missing[user] === 0) ready.push(user);
    }
  }
  return layers.map((layer, index) => {
    const own = users[index] ?? [];
    const isFree = boxes[index]?.inputs.length === 0 && own.length > 0;
    return isFree ? Math.min(...own.map((user) => layers[user] ?? 0)) - 1 : layer;
  });
}

/** Orders each layer by what it is tied to, then moves its places as near to that as their widths allow. */
function arrange(rows: readonly Place[][]): void {
  for (const row of rows) spread(row, 0);
  for (let sweep = 0; sweep < sweeps; ++sweep) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed()) {
      const wanted = new Map(
        row.map((one) => [one, mean(isDown ? one.above : one.below) ?? one.x]),
      );
      // The order is settled after the first half.
      if (sweep < sweeps / 2) row.sort((a, b) => wanted.get(a)! - wanted.get(b)!);
      settle(row, (one) => wanted.get(one)!);
    }
  }
}

const mean = (places: readonly Place[]): number | undefined =>
  places.length === 0 ? undefined : places.reduce((sum, { x }) => sum + x, 0) / places.length;

const apart = (a: Place, b: Place): number => (a.width + b.width) / 2 + boxGap;

/** Side by side, around `middle`. */
function spread(row: readonly Place[], middle: number): void {
  const total = row.reduce((sum, { width }) => sum + width + boxGap, -boxGap);
  let at = middle - total / 2;
  for (const one of row) {
    one.x = at + one.width / 2;
    at += one.width + boxGap;
  }
}

/** The mean of pushing all that is too near to the right, and to the left. */
function settle(row: readonly Place[], wanted: (one: Place) => number): void {
  const toRight = row.map(wanted);
  const toLeft = row.map(wanted);
  for (let i = 1; i < row.length; ++i) {
    toRight[i] = Math.max(toRight[i]!, toRight[i - 1]! + apart(row[i - 1]!, row[i]!));
  }
  for (let i = row.length - 2; i >= 0; --i) {
    toLeft[i] = Math.min(toLeft[i]!, toLeft[i + 1]! - apart(row[i]!, row[i + 1]!));
  }
  for (const [i, one] of row.entries()) one.x = (toRight[i]! + toLeft[i]!) / 2;
}
