// npm run bench: how fast this build is, beside ONNX Runtime Web and whisper.cpp. options.mjs says what can be chosen,
// docs/performance.md what is measured and how.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { main, root, StepError } from '../toolchain/steps.mjs';
import { openNode } from './node_place.mjs';
import { parseOptions, usage } from './options.mjs';
import { ensurePeers, peerNode } from './peers.mjs';
import { progress } from './progress.mjs';
import { growthText, measureGrowth } from './growth.mjs';
import { measureRealTime, realTimeText } from './real_time.mjs';
import { absurdities, stageText, toRatios, toRows } from './stage_report.mjs';
import { measureStages } from './stages.mjs';

async function openPlace(options) {
  if (options.isBrowser) return (await import('./browser_place.mjs')).openBrowser();
  if (options.node === 'current') return openNode(process.execPath);
  const node = options.node ?? peerNode();
  if (!node) console.error('No pinned Node for this machine: this one is measured.');
  return openNode(node ?? process.execPath);
}

const modes = {
  async stages(options, place, where) {
    const measured = await measureStages(options, place);
    const rows = toRows(measured);
    const ours = options.model === undefined ? options.dtypes.length : 1;
    const kinds = ours * options.variants.length + (options.hasPeers ? 2 : 0);
    const expected = kinds * options.threads.length - measured.skipped.length;
    const problems = absurdities(rows, expected);
    if (problems.length > 0) throw new StepError(`This cannot be:\n  ${problems.join('\n  ')}`);
    return options.format === 'json'
      ? { where, rows, ratios: toRatios(rows), ...measured }
      : stageText(measured, { ...options, where });
  },
  async growth(options, place, where) {
    const measured = await measureGrowth(options, place);
    return options.format === 'json'
      ? { where, ...measured }
      : growthText(measured, options, where);
  },
  async rtf(options, place, where) {
    const rows = await measureRealTime(options, place);
    return options.format === 'json' ? { where, rows } : realTimeText(rows, options, where);
  },
};

await main(async () => {
  const options = parseOptions(process.argv.slice(2));
  if (options.isHelp) return console.log(usage);
  if (!existsSync(join(root, 'dist/node.mjs'))) {
    throw new StepError('There is no build in dist.', 'Build it first: npm run build.');
  }
  const needsNode = !options.isBrowser && options.node === undefined;
  if (options.hasPeers || needsNode) await ensurePeers();
  const place = await openPlace(options);
  try {
    if (options.variants.includes('relaxed') && !place.knowsRelaxed) {
      throw new StepError(`${place.title} has no relaxed SIMD.`, 'Use --variant simd.');
    }
    const result = await modes[options.mode](options, place, place.title);
    progress('');
    console.log(options.format === 'json' ? JSON.stringify(result, null, 2) : result);
  } finally {
    await place.close();
  }
});
