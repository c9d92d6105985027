// Events of streams that follow on each other, as those of one.
import { movedBy } from '../../src/api/moved.js';
import type { LiveEvent } from '../../src/api/types.js';

/** An event of a stream that began `seconds` later, behind so many ids. */
export function laterBy(event: LiveEvent, seconds: number, ids: number): LiveEvent {
  if (seconds === 0 && ids === 0) return event;
  const moved = movedBy(seconds);
  const [id, time] = [event.id + ids, event.time + seconds];
  if (event.type === 'lag') {
    return { ...event, id, time, ...(event.skipped && { skipped: moved(event.skipped) }) };
  }
  if (event.type === 'revised') {
    const replaces = event.replaces.map((each) => each + ids);
    const segments = event.segments.map((each) => ({
      ...moved(each),
      words: each.words.map(moved),
    }));
    return { ...moved(event), id, time, replaces, segments };
  }
  if (event.type === 'speakers') {
    const texts = event.texts.map((text) => ({
      ...moved(text),
      ids: text.ids.map((each) => each + ids),
      segments: text.segments.map((each) => ({ ...moved(each), words: each.words.map(moved) })),
    }));
    return { ...event, id, time, until: event.until + seconds, texts };
  }
  if (!('text' in event)) return { ...event, id, time };
  const tokens = event.tokens.map((token) => ({ ...token, time: token.time + seconds }));
  return { ...moved(event), id, time, words: event.words.map(moved), tokens };
}
