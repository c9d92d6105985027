// The module worker that reads model files in a browser.
import { answerMessages } from '../../src/worker/worker_host.js';
import { openFilesHost } from './fetched_files.js';

answerMessages(openFilesHost);
