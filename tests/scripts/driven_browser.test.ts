// Browsers that stand still: every act on one ends, with an error that names it.
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { limited } from '../../scripts/browsers/driven_browser.mjs';
import { limit } from '../support/limits.js';

const never = () => new Promise<never>(() => undefined);
const page = { run: never, close: never };
const failed = (error: unknown) => String(error);

const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
beforeEach(() => {
  jest.useFakeTimers();
  warn.mockClear();
});
afterEach(() => {
  jest.useRealTimers();
});

test('a page that does not open', async () => {
  const browser = limited({ open: never, close: never }, () => undefined);
  const opened = browser.open('http://a/').catch(failed);
  await jest.advanceTimersByTimeAsync(limit(30_000));
  expect(await opened).toMatch(/^Error: Opening http:\/\/a\/ did not end in \d+ s\.$/);
});

test('a script that does not end, on a page that does not close: the script is what is told', async () => {
  const browser = limited({ open: () => Promise.resolve(page), close: never }, () => undefined);
  const opened = await browser.open('http://a/');
  const heard = opened
    .run('')
    .finally(() => opened.close())
    .catch(failed);
  await jest.advanceTimersByTimeAsync(limit(75_000));
  await jest.advanceTimersByTimeAsync(limit(10_000));
  expect(await heard).toMatch(/^Error: A script on http:\/\/a\/ did not end in \d+ s\.$/);
});

const ways = { never, fails: () => Promise.reject(new Error('no answer')) };
test.each(Object.entries(ways))('a browser is ended that closes %s, twice', async (_, close) => {
  const end = jest.fn();
  const browser = limited({ open: never, close }, end);
  const closed = Promise.all([browser.close(), browser.close()]);
  await jest.advanceTimersByTimeAsync(limit(10_000));
  await closed;
  expect(end).toHaveBeenCalledTimes(2);
});

test('what ends in time is answered, and no timer stays', async () => {
  const open = () =>
    Promise.resolve({ run: () => Promise.resolve(7), close: () => Promise.resolve() });
  const browser = limited({ open, close: () => Promise.resolve() }, () => undefined);
  const opened = await browser.open('http://a/');
  expect(await opened.run('')).toBe(7);
  await opened.close();
  await browser.close();
  expect(jest.getTimerCount()).toBe(0);
  expect(warn).not.toHaveBeenCalled();
});
