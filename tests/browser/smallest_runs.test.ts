// Scripts that drive Chromium: their smallest runs work.
import { testSmallestRuns } from '../support/smallest_run_tests.js';

await testSmallestRuns(true);
