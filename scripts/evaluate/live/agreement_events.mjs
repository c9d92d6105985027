// Events of a stream, from what each step of the loop around faster-whisper returns.

/**
 * A step: words that were committed in it, words that are provisional, and whether the sound of what is committed was let go.
 * @typedef {{ word: string; start: number; end: number }} LoopWord
 * @typedef {{ time: number; committed: LoopWord[]; provisional: LoopWord[]; isTrimmed: boolean }} Step
 */

/**
 * Returns what tells the events of the next step. A line grows until its sound is let go.
 * @type {(onEvent: (event: object) => void) => (step: Step) => void}
 */
export function eventsOfSteps(onEvent) {
  let id = 0;
  let line = [];
  let isShown = false;
  const tell = (type, words, committed, time) => {
    const text = words.map(({ word }) => word).join('');
    const [start, end] = [words[0]?.start ?? time, words.at(-1)?.end ?? time];
    onEvent({ type, id, time, start, end, text, words, committed, tokens: [] });
  };
  return ({ time, committed, provisional, isTrimmed }) => {
    line = [...line, ...committed];
    if (isTrimmed && line.length > 0) {
      tell('final', line, line.length, time);
      [id, line, isShown] = [id + 1, [], false];
    }
    const words = [...line, ...provisional];
    if (words.length > 0 || isShown) tell('partial', words, line.length, time);
    isShown = words.length > 0;
  };
}
