// An import() that failed once: a page does without that code until the network is there again, not for ever.
import { expect, test } from '@jest/globals';
import { importAgain } from '../../web/src/platform/import_again.js';

const address = 'https://example.org/dist/plan.mjs';
/** As Firefox and Chromium say it. */
const failures = [
  `error loading dynamically imported module: ${address}`,
  `Failed to fetch dynamically imported module: ${address}`,
];

/** An address that a browser remembers as failed, and others that fail as often as `failing` says. */
function network(message: string, failing: number) {
  const failure = new TypeError(message);
  const asked: string[] = [];
  const load = importAgain(
    () => (asked.push(''), Promise.reject<object>(failure)),
    (other) => {
      asked.push(other.slice(address.length));
      return asked.length <= failing + 1 ? Promise.reject(failure) : Promise.resolve({ other });
    },
  );
  return { load, asked };
}

test.each(failures)('takes another address after "%s", and keeps what it got', async (message) => {
  const { load, asked } = network(message, 0);
  const [first, second] = await Promise.all([load(), load()]);
  expect(first).toEqual({ other: `${address}?again=1` });
  expect(second).toBe(first);
  expect(await load()).toBe(first);
  expect(asked).toEqual(['', '?again=1']);
});

test('a later call tries again, at an address that has not failed', async () => {
  const { load, asked } = network(failures[0]!, 1);
  await expect(load()).rejects.toThrow(failures[0]);
  expect(await load()).toEqual({ other: `${address}?again=2` });
  expect(asked).toEqual(['', '?again=1', '', '?again=2']);
});

test('keeps what else the address asks for', async () => {
  const asked: string[] = [];
  const load = importAgain(
    () => Promise.reject<object>(new TypeError(`failed: ${address}?v=5`)),
    (other) => (asked.push(other), Promise.resolve({})),
  );
  await load();
  expect(asked).toEqual([`${address}?v=5&again=1`]);
});

test('where the failure names no address, as in WebKit and Node, the same one is tried again', async () => {
  let tries = 0;
  const load = importAgain(
    () =>
      tries++ === 0
        ? Promise.reject(new TypeError('Importing a module script failed.'))
        : Promise.resolve({ tries }),
    () => Promise.reject(new Error('not asked')),
  );
  expect(await load()).toEqual({ tries: 2 });
});

test('what works is asked for once', async () => {
  let tries = 0;
  const load = importAgain(() => Promise.resolve({ tries: ++tries }));
  expect([await load(), await load()]).toEqual([{ tries: 1 }, { tries: 1 }]);
});
