// What waits for a reader who is away.
import { expect, test } from '@jest/globals';
import { EventQueue } from '../../web/src/model/live_events.js';
import type { LiveEvent } from '../../web/src/api/types.js';

const text = (type: 'partial' | 'final', id: number, time: number): LiveEvent => ({
  ...{ type, id, time, start: 0, end: time, text: `${time}` },
  ...{ words: [], committed: 0, tokens: [] },
});
const lag = (id: number, time: number, skipped?: { start: number; end: number }): LiveEvent => ({
  ...{ type: 'lag', id, time, lag: 3 },
  ...(skipped && { skipped }),
});

async function rest(queue: EventQueue): Promise<LiveEvent[]> {
  queue.end();
  const events: LiveEvent[] = [];
  for (let event; (event = await queue.next());) events.push(event);
  return events;
}

test('partials take the places of older ones, also with lags in between: a reader who is away costs no memory', async () => {
  const queue = new EventQueue();
  for (let time = 0; time < 20_000; ++time) {
    queue.add([time % 2 === 0 ? text('partial', 0, time) : lag(0, time)]);
  }
  const events = await rest(queue);
  expect(events.length).toBeLessThanOrEqual(1001);
  // The newest of each kind stay, in their order.
  expect(events.slice(-2)).toEqual([text('partial', 0, 19_998), lag(0, 19_999)]);
  const times = events.map(({ time }) => time);
  expect(times).toEqual([...times].sort((one, other) => one - other));
});

test('finals, silences and what was left out stay', async () => {
  const queue = new EventQueue();
  const kept: LiveEvent[] = [];
  for (let id = 0; id < 1500; ++id) {
    const left = lag(id, id, { start: id, end: id + 0.5 });
    const silence: LiveEvent = { type: 'silence', id: id + 1, time: id };
    const final = text('final', id, id);
    kept.push(left, final, silence);
    queue.add([text('partial', id, id), left, text('partial', id, id), final, silence]);
  }
  const events = await rest(queue);
  expect(events.filter(({ type }) => type !== 'partial')).toEqual(kept);
  // Once many wait, a text has no partial beside its final event.
  expect(events.filter(({ type, id }) => type === 'partial' && id > 400)).toEqual([]);
});
