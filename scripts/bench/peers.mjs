// What is measured beside ours: npm packages that a lock file of their own pins, in build/bench/peers.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../toolchain/steps.mjs';

const pinned = join(import.meta.dirname, 'peers');
const folder = join(root, 'build/bench/peers');

/** Installs the peers unless they are there as the lock file says; says on stderr what is fetched. */
export async function ensurePeers() {
  const lock = readFileSync(join(pinned, 'package-lock.json'), 'utf8');
  const stamp = join(folder, 'installed.lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  const { dependencies } = JSON.parse(readFileSync(join(pinned, 'package.json'), 'utf8'));
  const list = Object.entries(dependencies).map((entry) => entry.join(' '));
  console.error(
    `Fetching from the npm registry into build/bench/peers: ${list.join(', ')}, Node ${peerNodeVersion()} ` +
      '(about 200 MB; --no-peers does without).',
  );
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(join(pinned, name), join(folder, name));
  }
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    what: 'npm ci of the peers',
    advice: 'Is the npm registry reachable? --no-peers measures ours alone.',
  });
  writeFileSync(stamp, lock);
}

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
