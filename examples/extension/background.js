// The background is a service worker: no workers, no import(). 'susurrus/in-thread' is one file and runs in this thread.
import { loadModel } from './susurrus/dist/in_thread.mjs';
import { answerRequests } from './answer.js';

answerRequests('background', loadModel);
chrome.offscreen.createDocument({
  url: 'offscreen.html',
  reasons: ['WORKERS'],
  justification: 'Transcribes recordings.',
});
chrome.action.onClicked.addListener(() => chrome.tabs.create({ url: 'page.html' }));
