// The packed package and the demo page in Firefox, where that is installed. Complaint 91: it is run, not only built.
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { firefoxPath, launchFirefox } from '../../scripts/browsers/firefox.mjs';
import type { DrivenFirefox } from '../../scripts/browsers/firefox.mjs';
import { limit } from '../support/limits.js';
import { testDemoPage } from './driven_demo_page.js';
import { testTranscribingPages } from './transcribing_pages.js';

jest.setTimeout(limit(120_000));

(firefoxPath === undefined ? describe.skip : describe)('complaint 91: Firefox', () => {
  let browser: DrivenFirefox;
  beforeAll(async () => {
    browser = await launchFirefox();
  });
  afterAll(() => browser.close());

  testTranscribingPages(() => browser, true);
  for (const isolated of [false, true]) testDemoPage(() => browser, isolated);

  // The last one: nothing can be done with this Firefox afterwards.
  test('a Firefox that does not answer when it is to close is ended, and its profile removed', async () => {
    const { program, profile } = browser;
    program.kill('SIGSTOP');
    jest.useFakeTimers();
    const warned = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    try {
      const closing = browser.close();
      await jest.advanceTimersByTimeAsync(limit(10_000));
      jest.useRealTimers();
      await closing;
    } finally {
      jest.useRealTimers();
      warned.mockRestore();
    }
    expect({ signal: program.signalCode, isKept: existsSync(profile) }).toEqual({
      ...{ signal: 'SIGKILL', isKept: false },
    });
  });
});
