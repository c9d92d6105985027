// The queue of recordings: in their order, a few beside each other, whatever happens to one of them.
import { beforeEach, expect, test } from '@jest/globals';
import {
  RecordingQueue,
  type ListenCall,
  type QueueItem,
} from '../../web/demo/files/recording_queue.js';

interface Turn {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly call: ListenCall<string>;
  readonly done: () => void;
  readonly fail: (error: Error) => void;
}

let turns: Turn[];
let ended: string[];
let isReady: boolean;
let places: number;
let queue: RecordingQueue<string>;

const file = (name: string): File => new File(['x'], name);
const states = (): string[] => queue.items.map(({ file, state }) => `${file.name} ${state}`);
/** Lets the promises of the queue go on. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; ++i) await Promise.resolve();
};

beforeEach(() => {
  turns = [];
  ended = [];
  isReady = true;
  places = 1;
  queue = new RecordingQueue<string>({
    canListen: () => isReady,
    places: () => places,
    listen: (item: QueueItem<string>, signal, call) =>
      new Promise((done, failed) => {
        signal.addEventListener('abort', () => failed(new Error('stopped')));
        turns.push({ name: item.file.name, signal, call, done, fail: failed });
      }),
    onChange: () => undefined,
    onPausing: () => undefined,
    onEnd: ({ file, state }) => ended.push(`${file.name} ${state}`),
  });
});

test('listens to one after the other, in the order in which they came', async () => {
  queue.add([file('a'), file('b')]);
  queue.add([file('c')]);
  expect(turns.map(({ name }) => name)).toEqual(['a']);
  expect(states()).toEqual(['a listening', 'b waiting', 'c waiting']);
  turns[0]!.call.onText('text of a');
  turns[0]!.call.onPart(0.5, 7);
  expect(queue.items[0]).toMatchObject({ part: 0.5, remainingSeconds: 7, text: 'text of a' });
  turns[0]!.done();
  await settle();
  expect(states()).toEqual(['a done', 'b listening', 'c waiting']);
  expect(queue.items[0]).not.toHaveProperty('part');
  turns[1]!.done();
  await settle();
  turns[2]!.done();
  await settle();
  expect(ended).toEqual(['a done', 'b done', 'c done']);
  expect(queue.isListening).toBe(false);
});

test('one that fails in the middle keeps its reason and stops nothing else', async () => {
  queue.add([file('a'), file('b'), file('c')]);
  turns[0]!.done();
  await settle();
  const problem = new Error('no audio');
  turns[1]!.fail(problem);
  await settle();
  expect(states()).toEqual(['a done', 'b failed', 'c listening']);
  expect(queue.items[1]!.problem).toBe(problem);
  queue.again(queue.items[1]!.id);
  expect(states()).toEqual(['a done', 'c listening', 'b waiting']);
  expect(queue.items[2]).not.toHaveProperty('problem');
});

test('the one under way, one that waits, or all are cancelled', async () => {
  queue.add([file('a'), file('b'), file('c'), file('d')]);
  const [a, b] = queue.items;
  queue.cancel(b!.id);
  expect(states()).toEqual(['a listening', 'b stopped', 'c waiting', 'd waiting']);
  queue.cancel(a!.id);
  await settle();
  expect(states()).toEqual(['a stopped', 'b stopped', 'c listening', 'd waiting']);
  queue.cancelAll();
  await settle();
  expect(states()).toEqual(['a stopped', 'b stopped', 'c stopped', 'd stopped']);
  expect(turns.map(({ name }) => name)).toEqual(['a', 'c']);
  // A second time, and of one that is over, it does nothing.
  queue.cancelAll();
  queue.cancel(a!.id);
  expect(ended).toHaveLength(4);
});

test('one under way is held up and goes on, whenever what is held up comes, and however often it is asked', async () => {
  places = 2;
  queue.add([file('a'), file('b'), file('c')]);
  const [a, b, c] = queue.items;
  const said: string[] = [];
  const work = (name: string) => ({
    pause: () => said.push(`${name} pauses`),
    resume: () => said.push(`${name} goes on`),
  });
  // There is nothing to hold up yet, and no turn of one that waits.
  queue.pause([a!.id, c!.id, 99], true);
  expect(queue.isResting).toBe(false);
  expect(a!.pausing).toMatchObject({ isOn: false, isPossible: false });
  turns[0]!.call.pausing.hold(work('a'));
  turns[1]!.call.pausing.hold(work('b'));
  queue.pause([a!.id], true);
  queue.pause([a!.id], true);
  expect(said).toEqual(['a pauses']);
  expect(queue.isResting).toBe(false);
  // It is tried a second time, with other options.
  turns[0]!.call.pausing.hold(work('a2'));
  queue.pause([a!.id, b!.id], true);
  expect(queue.isResting).toBe(true);
  queue.pause([a!.id], false);
  expect(said).toEqual(['a pauses', 'a2 pauses', 'b pauses', 'a2 goes on']);
  expect(a!.pausing!.seconds).toBeGreaterThan(0);
  queue.cancel(b!.id);
  await settle();
  expect(states()).toEqual(['a listening', 'b stopped', 'c listening']);
  expect(b).not.toHaveProperty('pausing');
  // The next turn of what was paused is not.
  queue.again(b!.id);
  turns[0]!.done();
  await settle();
  expect(queue.items.find(({ id }) => id === b!.id)!.pausing!.isOn).toBe(false);
});

test('progress that comes after Cancel is not shown', async () => {
  queue.add([file('a')]);
  queue.cancel(queue.items[0]!.id);
  turns[0]!.call.onPart(0.9);
  await settle();
  expect(queue.items[0]).not.toHaveProperty('part');
});

test('the same file twice is listened to twice', async () => {
  const twice = file('a');
  queue.add([twice, twice]);
  turns[0]!.done();
  await settle();
  expect(states()).toEqual(['a done', 'a listening']);
  expect(queue.items[0]!.id).not.toBe(queue.items[1]!.id);
});

test('waits for a model, and gives up when it does not come', async () => {
  isReady = false;
  queue.add([file('a'), file('b')]);
  expect(turns).toEqual([]);
  isReady = true;
  queue.next();
  queue.next();
  expect(turns).toHaveLength(1);
  isReady = false;
  queue.cancel(queue.items[0]!.id);
  await settle();
  expect(states()).toEqual(['a stopped', 'b waiting']);
  queue.add([file('c')]);
  // The model from before is there again: it does not get what waited for another one.
  isReady = true;
  expect(queue.giveUp('no model').map(({ file }) => file.name)).toEqual(['b', 'c']);
  expect(turns).toHaveLength(1);
  expect(queue.items[1]).toMatchObject({ state: 'stopped', problem: 'no model' });
});

test('what it was told to stop is stopped, whatever comes of it; what calls itself an abort is none', async () => {
  const thrown = new DOMException('of the platform', 'AbortError');
  queue.add([file('a'), file('b')]);
  turns[0]!.fail(thrown);
  await settle();
  expect(queue.items[0]).toMatchObject({ state: 'failed', problem: thrown });
  queue.cancel(queue.items[1]!.id);
  await settle();
  expect(queue.items[1]).toMatchObject({ state: 'stopped' });
  expect(queue.items[1]!.problem).toBeUndefined();
});

test('the one under way may be removed, and the next goes on', async () => {
  queue.add([file('a'), file('b')]);
  queue.remove(queue.items[0]!.id);
  expect(turns[0]!.signal.aborted).toBe(true);
  await settle();
  expect(states()).toEqual(['b listening']);
});

test('listens to as many beside each other as there are places, and to the next ones in their order', async () => {
  places = 2;
  queue.add([file('a'), file('b'), file('c'), file('d')]);
  expect(states()).toEqual(['a listening', 'b listening', 'c waiting', 'd waiting']);
  // A short one may be done before an earlier one.
  turns[1]!.done();
  await settle();
  expect(states()).toEqual(['a listening', 'b done', 'c listening', 'd waiting']);
  turns[0]!.fail(new Error('no audio'));
  await settle();
  expect(states()).toEqual(['a failed', 'b done', 'c listening', 'd listening']);
  expect(ended).toEqual(['b done', 'a failed']);
  // With another model there may be fewer.
  places = 0;
  queue.add([file('e')]);
  turns[2]!.done();
  await settle();
  expect(states().slice(2)).toEqual(['c done', 'd listening', 'e waiting']);
  turns[3]!.done();
  await settle();
  expect(states().slice(2)).toEqual(['c done', 'd done', 'e listening']);
});

test('of several under way one is cancelled or removed alone, or all are stopped', async () => {
  places = 3;
  queue.add([file('a'), file('b'), file('c'), file('d'), file('e')]);
  queue.cancel(queue.items[1]!.id);
  expect(turns.map(({ signal }) => signal.aborted)).toEqual([false, true, false]);
  await settle();
  expect(states()).toEqual([
    ...['a listening', 'b stopped', 'c listening', 'd listening', 'e waiting'],
  ]);
  queue.remove(queue.items[0]!.id);
  await settle();
  expect(states()).toEqual(['b stopped', 'c listening', 'd listening', 'e listening']);
  expect(turns.map(({ signal }) => signal.aborted)).toEqual([true, true, false, false, false]);
  queue.cancelAll();
  await settle();
  expect(states()).toEqual(['b stopped', 'c stopped', 'd stopped', 'e stopped']);
  expect(queue.isListening).toBe(false);
});
