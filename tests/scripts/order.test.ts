// Parts of a test run begin once what they need is done, two at a time, and say what could not run.
import { expect, test } from '@jest/globals';
import { runInOrder } from '../../scripts/toolchain/order.mjs';
import { turns } from '../support/turns.js';

/** Tasks that write down when they begin and end, and end when they are told to. */
function gated(names: Readonly<Record<string, readonly string[]>>) {
  const log: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const tasks = Object.entries(names).map(([name, needs]) => ({
    name,
    needs,
    run: () =>
      new Promise<void>((done, failed) => {
        log.push(name);
        ends.set(name, (error) => {
          if (error) failed(error);
          else done();
        });
      }),
  }));
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)!(error);
    await turns(2);
  };
  return { log, tasks, end };
}

test('each begins once its needs are met, in order, and no more than two run', async () => {
  const { log, tasks, end } = gated({ a: [], b: ['a'], c: [], d: ['elsewhere'], e: ['b', 'c'] });
  const over = runInOrder(tasks, 2);
  await turns(2);
  expect(log).toEqual(['a', 'c']);
  await end('c');
  expect(log).toEqual(['a', 'c', 'd']);
  await end('a');
  expect(log).toEqual(['a', 'c', 'd', 'b']);
  await end('b');
  await end('d');
  await end('e');
  await expect(over).resolves.toEqual([]);
});

test('what needs a task that failed does not run; all else does', async () => {
  const { log, tasks, end } = gated({ a: [], b: ['a'], c: ['b'], d: [] });
  const over = runInOrder(tasks, 1);
  await turns(1);
  const error = new Error('no compiler');
  await end('a', error);
  await end('d');
  await expect(over).resolves.toEqual([{ name: 'a', error }, { name: 'b' }, { name: 'c' }]);
  expect(log).toEqual(['a', 'd']);
});

test('a circle is an error, not a wait without end', async () => {
  const { tasks } = gated({ a: ['b'], b: ['a'] });
  await expect(runInOrder(tasks, 2)).rejects.toThrow('Tasks wait for each other: a, b');
});
