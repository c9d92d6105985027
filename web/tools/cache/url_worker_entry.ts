// The module worker that downloads and keeps a model file in a browser. One for each file, which ends with it.
import { answerMessages } from '../../src/worker/worker_host.js';
import { StoreHost } from './store_host.js';
import { workerEnvironment } from './worker_environment.js';

answerMessages(() => new StoreHost(workerEnvironment));
