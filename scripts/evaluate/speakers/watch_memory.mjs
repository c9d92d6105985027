// Loaded before everything else, in threads too: tells how much memory the modules of other threads have, which Node does not show.
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const memories = [];
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...given) => {
  const made = await instantiate(...given);
  const { exports } = made.instance ?? made;
  memories.push(...Object.values(exports).filter((each) => each instanceof WebAssembly.Memory));
  return made;
};

if (!isMainThread) {
  const channel = new BroadcastChannel('memory');
  channel.unref();
  channel.onmessage = ({ data }) => {
    if (data !== 'wanted') return;
    const bytes = memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    if (bytes > 0) channel.postMessage(bytes);
  };
}

/** Bytes of the module that a thread has. */
export async function threadMemory() {
  const channel = new BroadcastChannel('memory');
  const answered = new Promise((done) => {
    channel.onmessage = ({ data }) => done(data);
  });
  channel.postMessage('wanted');
  const bytes = await answered;
  channel.close();
  return bytes;
}
