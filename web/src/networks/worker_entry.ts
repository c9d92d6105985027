// The module worker that the package starts in a browser for models that run as graphs.
import { answerMessages } from '../worker/worker_host.js';
import { openNetworksHost } from './fetched_networks.js';

answerMessages(openNetworksHost);
