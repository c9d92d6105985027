// The package where there are no workers and nothing may be loaded later, such as an extension's service worker: all in one file,
// and engines run in the thread that calls them and yield between slices of work.
import { runInThread } from './browser_platform.js';
import * as hosts from './in_thread_hosts.js';

runInThread(hosts);

export * from './files.js';
export * from './graph.js';
export * from './index.js';
