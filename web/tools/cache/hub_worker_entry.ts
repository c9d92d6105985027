// The module worker that downloads, converts and keeps a model by name in a browser. It is a separate file because bundlers do not
// split the code of workers.
import { answerMessages } from '../../src/worker/worker_host.js';
import * as hub from '../hub/convert_repository.js';
import { StoreHost } from './store_host.js';
import { workerEnvironment } from './worker_environment.js';

answerMessages(
  (addresses) =>
    new StoreHost({ ...workerEnvironment, hub, filesAddress: addresses['files.wasm'] }),
);
