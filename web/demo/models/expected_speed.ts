// How fast a model is likely to be on this device, before there is one: the step that most of the work consists of is timed.
import { relaxedDot } from '../../src/engine/relaxed_dot.js';
import { chooseWorkers } from '../../src/platform/workers.js';
import { inCatalogue } from './catalogue.js';

/**
 * A module whose function `p` multiplies 32 pairs of 16-bit numbers from memory and adds the products up, as often as it is told:
 * i32x4.dot_i16x8_s, as the engines without relaxed SIMD do.
 */
const probe = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x06, 0x01, 0x60, 0x01, 0x7f, 0x01, 0x7f], // type: i32 → i32
  ...[0x03, 0x02, 0x01, 0x00], // one function
  ...[0x05, 0x03, 0x01, 0x00, 0x01], // a page of memory
  ...[0x07, 0x05, 0x01, 0x01, 0x70, 0x00, 0x00], // export "p"
  ...[0x0a, 0x8d, 0x01, 0x01, 0x8a, 0x01, 0x02, 0x01, 0x7f, 0x05, 0x7b], // locals: where, numbers, four sums
  ...[0x03, 0x40], // loop
  ...[0x20, 0x00, 0x41, 0x04, 0x74, 0x41, 0xf0, 0xff, 0x00, 0x71, 0x21, 0x01], // where = times × 16 within 16 KiB
  ...[0x20, 0x01, 0xfd, 0x00, 0x04, 0x00, 0x21, 0x02], // numbers = those there
  ...[0, 1, 2, 3].flatMap((sum) => [
    ...[0x20, 0x02, 0x20, 0x01, 0xfd, 0x00, 0x04, 0x80 + 16 * sum, 0x80, 0x01], // and others
    ...[0xfd, 0xba, 0x01, 0x20, 3 + sum, 0xfd, 0xae, 0x01, 0x21, 3 + sum], // sum += their products
  ]),
  ...[0x20, 0x00, 0x41, 0x01, 0x6b, 0x22, 0x00, 0x0d, 0x00, 0x0b], // again, once less
  ...[0x20, 0x03, 0x20, 0x04, 0xfd, 0xae, 0x01, 0x20, 0x05, 0x20, 0x06, 0xfd, 0xae, 0x01],
  ...[0xfd, 0xae, 0x01, 0xfd, 0x1b, 0x00, 0x0b], // a lane of the sum of all
]);

/** 2 to 10 ms on a desk. */
const times = 2 ** 21;
/** The quickest counts: what else runs only takes time away. */
const tries = 5;

/** Times in a second; undefined where it does not run. */
export async function stepsPerSecond(): Promise<number | undefined> {
  try {
    const { instance } = await WebAssembly.instantiate(probe);
    const run = instance.exports['p'] as (times: number) => number;
    let least = Infinity;
    for (let each = 0; each < tries; ++each) {
      // The page goes on between.
      await new Promise((turn) => setTimeout(turn));
      const begun = performance.now();
      run(times);
      least = Math.min(least, performance.now() - begun);
    }
    // Browsers round the time: less than a millisecond is not measured.
    return (times / Math.max(least, 1)) * 1000;
  } catch {
    return undefined;
  }
}

/**
 * tiny.en hears a second of sound in so many of the steps: 60 s took 3.0 s of an AMD EPYC without AVX-VNNI (Node 24, plain SIMD, voice
 * detection on), which does 780 million a second.
 */
const stepsOfTiny = 39e6;
/** How much longer others take, and how much less with relaxed SIMD in one instruction: docs/performance.md. */
const longer: Readonly<Record<string, number>> = { tiny: 1, base: 2.5, small: 10 };
const relaxedGain = 1.8;
/** Each engine beyond the first adds so much of one: measured with two. */
const shareOfEngine = 0.9;

export interface Processors {
  readonly steps: number;
  readonly dot: ReturnType<typeof relaxedDot>;
  readonly processors: number;
  readonly memoryBytes: number | undefined;
}

let timed: Promise<Processors | undefined> | undefined;

/** Seconds of sound in a second on this device. Undefined where that cannot be told. */
export async function expectedHere(model: string): Promise<number | undefined> {
  const device = await (timed ??= timeProcessors());
  return device && expectedSpeed(model, device);
}

async function timeProcessors(): Promise<Processors | undefined> {
  const steps = await stepsPerSecond();
  if (steps === undefined) return undefined;
  const { hardwareConcurrency, deviceMemory } = navigator as Navigator & { deviceMemory?: number };
  const memoryBytes = deviceMemory === undefined ? undefined : deviceMemory * 2 ** 30;
  return { steps, dot: relaxedDot(), processors: hardwareConcurrency || 1, memoryBytes };
}

/** Seconds of sound in a second, for a recording of an hour. Undefined for a model that was not measured. */
export function expectedSpeed(
  model: string,
  { steps, dot, ...device }: Processors,
): number | undefined {
  const known = inCatalogue(model);
  const factor = longer[model.replace(/\.en$/, '')];
  if (!known || factor === undefined) return undefined;
  const engine = { engineBytes: known.memory * 1e6, threads: 1 };
  const { workers } = chooseWorkers('auto', device, engine);
  const one = (steps / stepsOfTiny / factor) * (dot === 'fast' ? relaxedGain : 1);
  return one * (1 + (workers - 1) * shareOfEngine);
}
