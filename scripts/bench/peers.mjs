// What is measured beside ours: npm packages that a lock file of their own pins, in build/bench/peers.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePinned } from '../toolchain/node_modules.mjs';
import { root } from '../toolchain/steps.mjs';

const pinned = join(import.meta.dirname, 'peers');
const folder = join(root, 'build/bench/peers');

/** Installs the peers unless they are there as the lock file says. */
export const ensurePeers = () =>
  ensurePinned({
    ...{ pinned, folder },
    note: `with Node ${peerNodeVersion()}, about 200 MB; --no-peers does without`,
    advice: 'Is the npm registry reachable? --no-peers measures ours alone.',
  });

const peerNodeVersion = () => {
  const manifest = JSON.parse(readFileSync(join(pinned, 'package.json'), 'utf8'));
  return Object.values(manifest.optionalDependencies)[0];
};

/** Path of the peers' Node, or undefined where there is none for this machine. */
export function peerNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const path = join(folder, `node_modules/node-${platform}-${process.arch}/bin/node`);
  return [path, `${path}.exe`].find((one) => existsSync(one));
}
