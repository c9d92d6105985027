// What a model makes of some windows: the encoder's output, and logits token by token.
import { largest } from './measures.mjs';

/**
 * @typedef {{
 *   readonly encoded: Float32Array;
 *   readonly logits: readonly Float32Array[];
 * }} Heard
 */
/**
 * @typedef {{
 *   encode(samples: Float32Array): Float32Array;
 *   logits(tokens: readonly number[], appends: boolean): Float32Array;
 * }} HearingModel
 */

/**
 * Hears each window and reads tokens one at a time, as decoding does. `next(window, position, logits)` returns the token that
 * is read after a position's logits, or undefined at the end. Returns, for each window, {encoded, logits}.
 */
function hear(model, windows, prompt, next) {
  return windows.map((samples, window) => {
    const encoded = model.encode(samples);
    const logits = [];
    for (let tokens = prompt; ;) {
      logits.push(model.logits(tokens, logits.length > 0).slice());
      const token = next(window, logits.length - 1, logits.at(-1));
      if (token === undefined) return { encoded, logits };
      tokens = [token];
    }
  });
}

/**
 * Reads the tokens given, a list for each window.
 * @type {(model: HearingModel, windows: readonly Float32Array[], prompt: readonly number[], histories: readonly (readonly number[])[]) => Heard[]}
 */
export function follow(model, windows, prompt, histories) {
  return hear(model, windows, prompt, (window, position) => histories[window][position]);
}

/**
 * Greedy, `count` positions a window, but no token twice: random weights would stay at one token, and every position would
 * be like the one before. Returns what hear() does, with the tokens read as `histories`.
 * @type {(model: HearingModel, windows: readonly Float32Array[], prompt: readonly number[], textEnd: number, count: number) => { heard: Heard[]; histories: number[][] }}
 */
export function wander(model, windows, prompt, textEnd, count) {
  const histories = windows.map(() => []);
  const heard = hear(model, windows, prompt, (window, position, logits) => {
    if (position + 1 === count) return undefined;
    const token = largest(logits, textEnd, (id) => !histories[window].includes(id));
    histories[window].push(token);
    return token;
  });
  return { heard, histories };
}
