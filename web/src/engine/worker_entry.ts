// The module worker that the package starts in a browser.
import { answerMessages } from '../worker/worker_host.js';
import { openEngineHost } from './fetched_engine.js';

answerMessages(openEngineHost);
