// The packed package and the demo page in Firefox, where that is installed. Complaint 91: it is run, not only built.
import { describe, jest } from '@jest/globals';
import { firefoxPath, launchFirefox } from '../../scripts/browsers/firefox.mjs';
import { limit } from '../support/limits.js';
import { testDemoPage } from './driven_demo_page.js';
import { testTranscribingPages } from './transcribing_pages.js';

jest.setTimeout(limit(120_000));

(firefoxPath === undefined ? describe.skip : describe)('complaint 91: Firefox', () => {
  testTranscribingPages(launchFirefox, true);
  for (const isolated of [false, true]) testDemoPage(launchFirefox, isolated);
});
