// Who speaks in recordings, in a process of its own: the job as the first message, what was found in each recording, with the
// cost, as answers. One finder hears them all, one after the other.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../toolchain/steps.mjs';
import { threadMemory } from './watch_memory.mjs';

process.once('message', async ({ model, variant, recordings }) => {
  const { loadSpeakerFinder } = await import(
    pathToFileURL(join(root, 'dist/speakers.node.mjs')).href
  );
  const finder = await loadSpeakerFinder({ model, variant });
  for (const { name, path } of recordings) {
    const begin = performance.now();
    const processor = process.cpuUsage();
    const { turns, duration } = await finder.find(path);
    const { user, system } = process.cpuUsage(processor);
    process.send({
      name,
      turns,
      duration,
      wallSeconds: (performance.now() - begin) / 1000,
      processorSeconds: (user + system) / 1e6,
      // Memory never shrinks: the most that this and those before took.
      wasmBytes: await threadMemory(),
    });
  }
  finder.dispose();
  process.disconnect();
});
