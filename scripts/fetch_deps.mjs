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

const releaseFile = ({ url }) => basename(new URL(url).pathname);

/** Path of a verified archive in `folder`, if it holds one. */
async function archiveIn(folder, { release, debian, npm }) {
  const choices = [
    ...(release ? [{ file: releaseFile(release), sha256: release.sha256 }] : []),
    ...[debian, npm].filter((choice) => choice !== undefined),
  ];
  for (const choice of choices) {
    const path = join(folder, choice.file);
    if (existsSync(path) && (await sha256(path)) === choice.sha256) return path;
  }
  return undefined;
}

/** Whatever fails here only means that Debian is asked instead. */
async function downloadRelease({ name, release }) {
  try {
    const response = await fetch(release.url, { signal: AbortSignal.timeout(releaseTimeout) });
    if (!response.ok) return;
    const path = join(downloads, releaseFile(release));
    writeFileSync(path, Buffer.from(await response.arrayBuffer()));
    const digest = await sha256(path);
    if (digest === release.sha256) return;
    rmSync(path);
    console.log(`  ${name}: ${release.url} is not the pinned file (SHA-256 ${digest})`);
  } catch {
    // Debian is asked.
  }
}

/** npm knows its registry, by its settings; what counts is whether the file is there afterwards. */
function downloadPackage({ npm, version }) {
  return run(
    'npm',
    ['pack', `${npm.package}@${version}`, '--ignore-scripts', '--pack-destination', downloads],
    { allowFailure: true },
  );
}

const download = (library) => (library.npm ? downloadPackage(library) : downloadRelease(library));

function whereToFind({ release, npm, version }) {
  const place = npm ? `${npm.file}: npm pack ${npm.package}@${version}` : release.url;
  return `  ${place}\n    SHA-256 ${(npm ?? release).sha256}`;
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
      throw new StepError(
        `No archive with the pinned SHA-256 for ${absent.map((one) => one.name).join(', ')}.`,
        `Download these into a folder and run: node scripts/fetch_deps.mjs --from FOLDER\n${absent.map(whereToFind).join('\n')}`,
      );
    }
    for (const library of missing) await unpack(library, await archiveIn(folder, library));
  });
}

if (isProgram(import.meta)) {
  await main(() => fetchDeps(readArguments({ options: { from: { type: 'string' } } }).values.from));
}
