// Third-party sources (deps.json) → build/deps/<name>-<version>, checked by SHA-256.
//
//   node scripts/fetch_deps.mjs [--from FOLDER]     FOLDER: archives already at hand, for machines without a network
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sha256 } from './toolchain/digest.mjs';
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
const releaseTimeout = 30_000;

const target = (library) => join(depsFolder, `${library.name}-${library.version}`);

/** Path of a verified archive in `folder`, if it holds one. */
async function archiveIn(folder, { release, debian }) {
  const choices = [
    [join(folder, basename(new URL(release.url).pathname)), release.sha256],
    ...(debian ? [[join(folder, debian.file), debian.sha256]] : []),
  ];
  for (const [path, digest] of choices) {
    if (existsSync(path) && (await sha256(path)) === digest) return path;
  }
  return undefined;
}

/** Whether the release archive could be had; every failure only means that Debian is asked instead. */
async function download({ name, release }) {
  try {
    const response = await fetch(release.url, { signal: AbortSignal.timeout(releaseTimeout) });
    if (!response.ok) return false;
    const path = join(downloads, basename(new URL(release.url).pathname));
    writeFileSync(path, Buffer.from(await response.arrayBuffer()));
    const digest = await sha256(path);
    if (digest === release.sha256) return true;
    rmSync(path);
    console.log(`  ${name}: ${release.url} is not the pinned file (SHA-256 ${digest})`);
    return false;
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
    const wanted = async () => {
      const archives = await Promise.all(missing.map((library) => archiveIn(folder, library)));
      return missing.filter((_, i) => archives[i] === undefined);
    };
    let absent = await wanted();
    if (!from && absent.length > 0) {
      await Promise.all(absent.map(download));
      absent = await wanted();
    }
    if (!from && absent.length > 0 && findOnPath('apt-get')) {
      const sources = absent.flatMap(({ debian }) => debian?.source ?? []);
      if (sources.length > 0) {
        await run(
          join(root, 'scripts/toolchain/unpack_debian.sh'),
          ['sources', downloads, ...sources],
          { allowFailure: true }, // what counts is which archives are there afterwards
        );
      }
      absent = await wanted();
    }
    if (absent.length > 0) {
      const list = absent.map((one) => `  ${one.release.url}\n    SHA-256 ${one.release.sha256}`);
      throw new StepError(
        `No archive with the pinned SHA-256 for ${absent.map((one) => one.name).join(', ')}.`,
        `Download these into a folder and run: node scripts/fetch_deps.mjs --from FOLDER\n${list.join('\n')}`,
      );
    }
    for (const library of missing) await unpack(library, await archiveIn(folder, library));
  });
}

if (isProgram(import.meta)) {
  await main(() => fetchDeps(readArguments({ options: { from: { type: 'string' } } }).values.from));
}
