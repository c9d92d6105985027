// A document that nobody sees: the engine lives in a worker of it, and the background is free.
import { loadModel } from './susurrus/dist/index.mjs';
import { answerRequests } from './answer.js';

answerRequests('offscreen', loadModel);
