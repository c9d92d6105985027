// The module worker that downloads and keeps a model file in a browser. One for each file, which ends with it.
import { answerMessages } from '../../src/worker/host.js';
import { StoreHost } from './host.js';
import { workerEnvironment } from './worker_environment.js';

answerMessages(() => new StoreHost(workerEnvironment));
