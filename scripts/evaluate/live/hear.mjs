// Plays sound to a recogniser as a microphone would: in blocks, of which those that arrive while it works wait and are given
// together.
import { whisper } from '../../facts/read_facts.mjs';
const { sampleRate } = whisper;

/**
 * What is asked of a recogniser. `onEvent` is called with each event before feed() or end() resolves. `processorSeconds()`: used so
 * far, by all threads.
 * @typedef {object} Stream
 * @property {(samples: Float32Array) => Promise<void>} feed
 * @property {() => Promise<void>} end
 * @property {() => number} processorSeconds
 */
/**
 * An event and when it came, in seconds since the sound began.
 * @typedef {{ at: number; event: import('../../../web/src/api/types.js').LiveEvent }} Delivery
 */

/**
 * `processorSeconds`: of the whole run. `behind`: how much sound waited at most, in seconds.
 * @type {(open: (onEvent: (event: Delivery['event']) => void) => Promise<Stream>, samples: Float32Array,
 *   clockOf: (stream: Stream) => import('./clock.mjs').Clock, blockSeconds: number) =>
 *   Promise<{ deliveries: Delivery[]; processorSeconds: number; behind: number }>}
 */
export async function hearLive(open, samples, clockOf, blockSeconds) {
  const deliveries = [];
  let stamped = 0;
  const stream = await open((event) => deliveries.push({ at: clock.now, event }));
  const clock = clockOf(stream);
  const work = async (body) => {
    await clock.work(body);
    if (!clock.stamps) {
      for (; stamped < deliveries.length; ++stamped) deliveries[stamped].at = clock.now;
    }
  };
  const block = Math.round(blockSeconds * sampleRate);
  const begin = stream.processorSeconds();
  let behind = 0;
  for (let at = 0; at < samples.length;) {
    const next = Math.min(at + block, samples.length);
    await clock.until(next / sampleRate);
    const blocks = Math.floor((clock.now * sampleRate + 0.5) / block) * block;
    const arrived = Math.min(samples.length, Math.max(next, blocks));
    behind = Math.max(behind, (arrived - at) / sampleRate);
    await work(() => stream.feed(samples.subarray(at, arrived)));
    at = arrived;
  }
  await work(() => stream.end());
  return { deliveries, processorSeconds: stream.processorSeconds() - begin, behind };
}

/** A clock for runs at full speed: nothing takes time, so each block is given alone. */
export const noTime = () => ({
  now: 0,
  stamps: false,
  async until(time) {
    this.now = Math.max(this.now, time);
  },
  work: (body) => body(),
});
