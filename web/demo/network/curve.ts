// A number over time, as a picture: the probability of speech.
import { clock } from '../shell/format.js';
import { svg } from '../shell/svg.js';

const width = 720;
const height = 120;

/** Seconds from `begin` to `end`. */
export interface Range {
  readonly begin: number;
  readonly end: number;
}

/** Where the values are at least one half. */
export function rangesOf(values: readonly number[], secondsPerValue: number): readonly Range[] {
  const ranges: Range[] = [];
  let begin: number | undefined;
  for (const [i, value] of [...values, 0].entries()) {
    if (value >= 0.5) begin ??= i;
    else if (begin !== undefined) {
      ranges.push({ begin: begin * secondsPerValue, end: i * secondsPerValue });
      begin = undefined;
    }
  }
  return ranges;
}

/** Values from 0 to 1 keep that scale, others are stretched to what they reach. */
export function curve(
  values: readonly number[],
  secondsPerValue: number,
  ranges: readonly Range[],
): SVGSVGElement {
  const least = Math.min(0, ...values);
  const most = Math.max(1, ...values);
  const seconds = Math.max(values.length * secondsPerValue, 1e-9);
  const x = (time: number): number => (time / seconds) * width;
  const y = (value: number): number => height - ((value - least) / (most - least)) * height;
  const points = values.map((value, i) => `${x((i + 0.5) * secondsPerValue)},${y(value)}`);
  const said = ranges.map(({ begin, end }) => `${clock(begin)} to ${clock(end)}`).join(', ');
  return svg(
    'svg',
    {
      role: 'img',
      'aria-label': `What the network gives over ${clock(seconds)}; at least one half ${said || 'nowhere'}.`,
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: 'none',
    },
    ...ranges.map(({ begin, end }) =>
      svg('rect', { class: 'range', x: x(begin), y: 0, width: x(end) - x(begin), height }),
    ),
    svg('line', { class: 'half', x1: 0, x2: width, y1: y(0.5), y2: y(0.5) }),
    svg('polyline', { class: 'value', points: points.join(' ') }),
  );
}
