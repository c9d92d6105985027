// Third-party C sources (deps.json) → build/deps/<name>-<version>, checked by SHA-256.
//
//   node scripts/fetch_deps.mjs [--from FOLDER]     FOLDER: archives already at hand, for machines without a network
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  findOnPath,
  isProgram,
  main,
  readArguments,
  root,
  run,
  step,
  StepError,
} from './toolchain/steps.mjs';

const depsFolder = join(root, 'build/deps');
const downloads = join(depsFolder, 'downloads');
const releaseTimeout = 10_000;

const target = (library) => join(depsFolder, `${library.name}-${library.version}`);

function isGood(path, sha256) {
  return (
    existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex') === sha256
  );
}

/** Path of a verified archive in `folder`, if it holds one. */
function archiveIn(folder, { release, debian }) {
  const choices = [
    [join(folder, basename(new URL(release.url).pathname)), release.sha256],
    [join(folder, debian.file), debian.sha256],
  ];
  return choices.find(([path, sha256]) => isGood(path, sha256))?.[0];
}

/** Whether the release archive could be had; every failure only means that Debian is asked instead. */
async function download({ name, release }) {
  try {
    const response = await fetch(release.url, { signal: AbortSignal.timeout(releaseTimeout) });
    if (!response.ok) return false;
    const bytes = Buffer.from(await response.arrayBuffer());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (sha256 !== release.sha256) {
      console.log(`  ${name}: ${release.url} is not the pinned file (SHA-256 ${sha256})`);
      return false;
    }
    writeFileSync(join(downloads, basename(new URL(release.url).pathname)), bytes);
    return true;
  } catch {
    return false;
  }
}

async function unpack(library, archive) {
  const unpacking = `${target(library)}.unpacking`;
  rmSync(unpacking, { recursive: true, force: true });
  mkdirSync(unpacking, { recursive: true });
  await run('tar', ['-xf', archive, '-C', unpacking, '--strip-components=1'], {
    what: `unpacking ${basename(archive)}`,
    advice: 'tar must be able to read .tar.gz and .tar.xz (install gzip and xz-utils).',
  });
  renameSync(unpacking, target(library));
}

/** Makes sure that every library of deps.json is unpacked. */
export async function fetchDeps(from) {
  const { libraries } = JSON.parse(readFileSync(join(root, 'scripts/deps.json'), 'utf8'));
  const missing = libraries.filter((library) => !existsSync(target(library)));
  if (missing.length === 0) return;
  await step(`obtaining the sources of ${missing.map((one) => one.name).join(', ')}`, async () => {
    mkdirSync(downloads, { recursive: true });
    const folder = from ?? downloads;
    const wanted = () => missing.filter((library) => !archiveIn(folder, library));
    if (!from) await Promise.all(wanted().map(download));
    if (!from && wanted().length > 0 && findOnPath('apt-get')) {
      const sources = wanted().map((library) => library.debian.source);
      await run(
        join(root, 'scripts/toolchain/unpack_debian.sh'),
        ['sources', downloads, ...sources],
        { allowFailure: true }, // what counts is which archives are there afterwards
      );
    }
    if (wanted().length > 0) {
      const list = wanted().map((one) => `  ${one.release.url}\n    SHA-256 ${one.release.sha256}`);
      throw new StepError(
        `No archive with the pinned SHA-256 for ${wanted()
          .map((one) => one.name)
          .join(', ')}.`,
        `Download these into a folder and run: node scripts/fetch_deps.mjs --from FOLDER\n${list.join('\n')}`,
      );
    }
    for (const library of missing) await unpack(library, archiveIn(folder, library));
  });
}

if (isProgram(import.meta)) {
  await main(() => fetchDeps(readArguments({ options: { from: { type: 'string' } } }).values.from));
}
