// A project of examples/ in a folder of its own, with the packed package installed, built by its own script.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, run } from '../toolchain/steps.mjs';

const npmQuiet = ['--prefer-offline', '--no-audit', '--no-fund'];

/** @type {(folder: string) => { scripts?: Record<string, string>; devDependencies?: Record<string, string> }} */
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function copyExample(name, folder) {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, 'examples', name), folder, {
    recursive: true,
    filter: (path) => !/[\\/]node_modules$/.test(path),
  });
}

const build = (folder, binaries, script = 'build') =>
  run('sh', ['-c', manifestOf(folder).scripts?.[script] ?? 'true'], {
    cwd: folder,
    env: { PATH: `${binaries}:${process.env.PATH}`, NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1' },
    what: `building ${folder}`,
  });

/**
 * Builds a quick one inside `project`, an empty one with the packed package, by tools of this package's node_modules.
 * @type {(name: string, project: string) => Promise<string>} The folder.
 */
export async function buildQuickProject(name, project) {
  const folder = join(project, name);
  copyExample(name, folder);
  const links = [
    ['susurrus', project],
    ...Object.keys(manifestOf(folder).devDependencies ?? {}).map((tool) => [tool, root]),
  ];
  for (const [name, from] of links) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(from, 'node_modules', name), link);
  }
  await build(folder, join(root, 'node_modules/.bin'));
  return folder;
}

/**
 * Installs one by its lock file in a folder that is kept, with the packed package, and builds it.
 * @type {(name: string, tarball: string, script?: string) => Promise<string>} The folder.
 */
export async function buildProject(name, tarball, script) {
  const folder = join(root, 'build/projects', name);
  copyExample(name, folder);
  cpSync(join(root, '.npmrc'), join(folder, '.npmrc'));
  const npm = (...args) => run('npm', [...args, ...npmQuiet], { cwd: folder, what: `npm ${args}` });
  if (existsSync(join(folder, 'package-lock.json'))) await npm('ci');
  await npm('install', '--no-save', '--no-package-lock', tarball);
  await build(folder, join(folder, 'node_modules/.bin'), script);
  return folder;
}
