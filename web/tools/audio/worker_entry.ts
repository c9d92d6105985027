// The module worker that decodes audio files in a browser, started when the first compressed file is given.
import { openAudioHost } from './web_host.js';
import { answerMessages } from '../../src/worker/worker_host.js';

answerMessages(openAudioHost);
