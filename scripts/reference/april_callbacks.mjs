// Events of our streams as callbacks of april-asr, so that they can be compared.

/**
 * What a callback of april-asr brings: times in milliseconds; flags: 1 begins a word, 2 ends a sentence.
 * @typedef {{ type: number; tokens: string[]; times: number[]; flags: number[]; scores: number[] }} Callback
 * @typedef {import('../../web/src/api/types.js').LiveEvent} LiveEvent
 */

const types = { partial: 1, final: 2, silence: 4 };

/** Once the reader has taken the events that wait. */
async function settled(events) {
  for (let before = -1; before !== events.length;) {
    before = events.length;
    await new Promise((turn) => setImmediate(turn));
  }
}

/**
 * Feeds a stream and closes it. `flushes`: how many events had come after each flush.
 * @type {(stream: import('../../web/src/api/types.js').LiveTranscription, steps: Iterable<Float32Array | Int16Array | 'flush'>) =>
 *   Promise<{ events: LiveEvent[]; flushes: number[] }>}
 */
export async function hear(stream, steps) {
  const events = [];
  const flushes = [];
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  for (const step of steps) {
    if (step === 'flush') {
      await stream.flush();
      await settled(events);
      flushes.push(events.length);
    } else await stream.feed(step);
  }
  await stream.close();
  await reading;
  return { events, flushes };
}

/** @type {(event: LiveEvent) => Callback} */
export function asCallback(event) {
  const tokens = event.type === 'silence' ? [] : event.tokens;
  return {
    type: types[event.type],
    tokens: tokens.map(({ text }) => text),
    times: tokens.map(({ time }) => Math.round(1000 * time)),
    flags: tokens.map(
      ({ beginsWord, endsSentence }) => Number(beginsWord) + 2 * Number(endsSentence),
    ),
    scores: tokens.map(({ score }) => score),
  };
}

/**
 * Our callbacks in the engine's clock. It counts what a flush puts behind the sound, ours does not: the same difference from one
 * flush to the next.
 * @type {(own: readonly Callback[], reference: readonly { readonly times: readonly number[] }[], flushes: readonly number[]) => Callback[]}
 */
export function inEngineTime(own, reference, flushes) {
  let padding = 0;
  let isKnown = true;
  return own.map((callback, i) => {
    if (flushes.includes(i)) isKnown = false;
    const [first] = reference[i]?.times ?? [];
    if (!isKnown && first !== undefined && callback.times.length > 0) {
      padding = Math.max(0, first - callback.times[0]);
      isKnown = true;
    }
    return { ...callback, times: callback.times.map((time) => time + padding) };
  });
}
