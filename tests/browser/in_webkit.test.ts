// The packed package and the demo page in WebKitGTK, where that is installed. Complaint 91: it is run, not only built.
import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { hasWebKit, launchWebKit } from '../../scripts/browsers/webkit.mjs';
import type { DrivenBrowser } from '../../scripts/browsers/driven_browser.mjs';
import { limit } from '../support/limits.js';
import { testDemoPage } from './driven_demo_page.js';
import { testTranscribingPages } from './transcribing_pages.js';

jest.setTimeout(limit(120_000));

(hasWebKit ? describe : describe.skip)('complaint 91: WebKitGTK', () => {
  let browser: DrivenBrowser;
  beforeAll(async () => {
    browser = await launchWebKit();
  });
  afterAll(() => browser.close());

  // Debian's build has no shared memory.
  testTranscribingPages(() => browser, false);
  for (const isolated of [false, true]) testDemoPage(() => browser, isolated);
});
