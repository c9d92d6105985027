// npm run bench: how fast this build is, beside ONNX Runtime Web and whisper.cpp. options.mjs says what can be chosen,
// docs/dev/performance.md what is measured and how.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { main, root, StepError } from '../toolchain/steps.mjs';
import { openNode } from './node_place.mjs';
import { parseOptions, usage } from './options.mjs';
import { ensurePeers, peerNode } from './peers.mjs';
import { progress } from './progress.mjs';
import { growthText, measureGrowth } from './growth.mjs';
import { largeText, measureLarge } from './large.mjs';
import { loadProblems, loadText, measureLoad } from './load.mjs';
import { measureRealTime, realTimeText } from './real_time.mjs';
import { absurdities, stageText, toRatios, toRows } from './stage_report.mjs';
import { measureStages } from './stages.mjs';
import { measureTrained, trainedText } from './trained.mjs';

const openChromium = async () => (await import('./browser_place.mjs')).openBrowser();

/** One place; both for modes that measure in both, if they are not told where. */
async function openPlaces(options) {
  if (options.isBrowser) return [await openChromium()];
  const node = openChosenNode(options);
  const isEverywhere =
    ['load', 'large', 'trained'].includes(options.mode) && options.node === undefined;
  return isEverywhere ? [node, await openChromium()] : [node];
}

function openChosenNode(options) {
  if (options.node === 'current') return openNode(process.execPath);
  const node = options.node ?? peerNode();
  if (!node) console.error('No pinned Node for this machine: this one is measured.');
  return openNode(node ?? process.execPath);
}

const refuse = (problems) => {
  if (problems.length > 0) throw new StepError(`This cannot be:\n  ${problems.join('\n  ')}`);
};

const modes = {
  async stages(options, [place]) {
    const where = place.title;
    const measured = await measureStages(options, place);
    const rows = toRows(measured);
    const ours = options.model === undefined ? options.dtypes.length : 1;
    const kinds = ours * options.variants.length + (options.hasPeers ? 2 : 0);
    const expected = kinds * options.threads.length - measured.skipped.length;
    refuse(absurdities(rows, expected));
    return options.format === 'json'
      ? { where, rows, ratios: toRatios(rows), ...measured }
      : stageText(measured, { ...options, where });
  },
  async load(options, places) {
    const measured = await measureLoad(options, places);
    refuse(loadProblems(measured));
    return options.format === 'json' ? measured : loadText(measured, options);
  },
  async large(options, places) {
    const rows = await measureLarge(options, places);
    return options.format === 'json' ? { rows } : largeText(rows, options);
  },
  async trained(options, places) {
    const measured = await measureTrained(options, places);
    return options.format === 'json' ? measured : trainedText(measured, options);
  },
  async growth(options, [place]) {
    const where = place.title;
    const measured = await measureGrowth(options, place);
    return options.format === 'json'
      ? { where, ...measured }
      : growthText(measured, options, where);
  },
  async rtf(options, [place]) {
    const where = place.title;
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
  const places = await openPlaces(options);
  try {
    const lacking = places.find((place) => !place.knowsRelaxed);
    if (options.variants.includes('relaxed') && lacking) {
      throw new StepError(`${lacking.title} has no relaxed SIMD.`, 'Use --variant simd.');
    }
    const result = await modes[options.mode](options, places);
    progress('');
    console.log(options.format === 'json' ? JSON.stringify(result, null, 2) : result);
  } finally {
    await Promise.all(places.map((place) => place.close()));
  }
});
