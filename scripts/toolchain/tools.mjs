// Finds the programs a build needs, and obtains what is missing: from PATH (or $EMSDK, $CHROMIUM) first, then with apt
// when run as root, else unpacked from Debian packages into the git-ignored .toolchain/.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { findFirefox, findPulseAudio, findWebKit } from './find_browsers.mjs';
import {
  findOnPath,
  isAtLeast,
  report,
  root,
  run,
  step,
  StepError,
  versionLine,
} from './steps.mjs';

const folder = join(root, '.toolchain');
const script = (name) => join(root, 'scripts/toolchain', name);
const emscriptenVersion = '3.1.69';

/**
 * What each tool is called, what it must be, and where Debian has it. `find` returns a path or undefined;
 * `unpack` obtains it without root and returns nothing. What has no `unpack` is optional: where root cannot install it, nothing
 * fails.
 */
const tools = {
  emcc: {
    title: 'Emscripten 3.1.58 or later',
    find() {
      const places = [findOnPath('emcc')];
      if (process.env.EMSDK) places.push(join(process.env.EMSDK, 'upstream/emscripten/emcc'));
      const own = places.find((path) => path && isAtLeast(versionLine(path), '3.1.58'));
      if (own) return own;
      const prefix = join(folder, `emscripten-${emscriptenVersion}`);
      return existsSync(join(prefix, 'ready'))
        ? join(prefix, 'packages/root/usr/share/emscripten/emcc')
        : undefined;
    },
    unpack: () =>
      run(script('emscripten_from_debian.sh'), [
        join(folder, `emscripten-${emscriptenVersion}`),
        process.execPath,
      ]),
  },
  cmake: {
    title: 'CMake 3.25 or later',
    debian: ['cmake'],
    find: () =>
      [findOnPath('cmake'), unpacked('cmake', 'usr/bin/cmake')].find((path) =>
        isAtLeast(path && versionLine(path), '3.25'),
      ),
    unpack: () => unpack('cmake', ['cmake']),
  },
  ninja: {
    title: 'Ninja',
    debian: ['ninja-build'],
    find: () => findOnPath('ninja') ?? unpacked('ninja', 'usr/bin/ninja'),
    unpack: () => unpack('ninja', ['ninja-build']),
  },
  cxx: {
    title: 'a C++ compiler (GCC 12 or Clang 14, or later)',
    debian: ['g++', 'libc6-dev'],
    find: () =>
      [
        ...[process.env.CXX, 'c++', 'g++', 'clang++'].map((name) => name && findOnPath(name)),
        ownCompiler(),
      ].find(isGoodCompiler),
    unpack: unpackCompiler,
  },
  fuzzer: {
    title: 'Clang with libFuzzer',
    find: () => [findOnPath('clang++-19'), findOnPath('clang++'), ownCompiler()].find(hasLibFuzzer),
    unpack: unpackCompiler,
  },
  clangFormat: {
    // This very version: others lay the same text out differently.
    title: 'clang-format 19',
    find: () =>
      [
        findOnPath('clang-format-19'),
        findOnPath('clang-format'),
        join(
          folder,
          `emscripten-${emscriptenVersion}`,
          'packages/root/usr/lib/llvm-19/bin/clang-format',
        ),
        unpacked('clang-format', 'usr/lib/llvm-19/bin/clang-format'),
      ].find((path) => path && existsSync(path) && / 19\./.test(versionLine(path) ?? '')),
    unpack: () => unpack('clang-format', ['clang-format-19']),
  },
  chromium: {
    title: 'Chromium or Chrome',
    debian: ['chromium'],
    find: () =>
      [
        process.env.CHROMIUM,
        ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
          findOnPath,
        ),
        unpacked('chromium', 'usr/lib/chromium/chromium'),
      ].find((path) => path && /\d+\.\d+/.test(versionLine(path) ?? '')),
    unpack: () => unpack('chromium', ['chromium']),
  },
  headless: {
    title: 'Chromium without windows',
    otherwise: 'Chromium itself takes its place',
    debian: ['chromium-headless-shell'],
    find: () => process.env.CHROMIUM ?? findOnPath('chromium-headless-shell'),
  },
  firefox: { title: 'Firefox', debian: ['firefox-esr'], find: findFirefox },
  webkit: {
    title: 'WebKitGTK with its WebDriver',
    debian: ['webkit2gtk-driver', 'xvfb'],
    find: () => findWebKit()?.browser,
  },
  sound: { title: 'PulseAudio', debian: ['pulseaudio'], find: findPulseAudio },
};

function unpacked(name, path) {
  const prefix = join(folder, name);
  return existsSync(join(prefix, 'ready')) ? join(prefix, 'root', path) : undefined;
}

function unpack(name, packages) {
  const prefix = join(folder, name);
  return run(script('unpack_debian.sh'), ['packages', '--with-dependencies', prefix, ...packages]);
}

function ownCompiler() {
  const path = join(folder, 'compiler/c++');
  return existsSync(path) ? path : undefined;
}

async function unpackCompiler() {
  await unpack('compiler', [
    ...['clang-19', 'lld-19', 'llvm-19', 'libclang-rt-19-dev', 'libstdc++-14-dev', 'libc6-dev'],
  ]);
  writeCompilerWrappers(join(folder, 'compiler'));
}

function hasLibFuzzer(path) {
  const library = 'lib/linux/libclang_rt.fuzzer-x86_64.a';
  // Clang answers with the name alone where it has no such file.
  const answer = path && versionLine(path, [`-print-file-name=${library}`]);
  return answer !== undefined && answer !== library && existsSync(answer);
}

function isGoodCompiler(path) {
  const line = path && versionLine(path);
  if (!line) return false;
  return isAtLeast(line.replace(/.*?\) /, ''), /clang/i.test(line) ? '14.0' : '12.0');
}

/** Clang finds headers and libraries beside it, and what it links runs on the libc beside it. */
function writeCompilerWrappers(prefix) {
  const sysroot = join(prefix, 'root');
  const lib = join(sysroot, 'usr/lib/x86_64-linux-gnu');
  // Else Clang finds it through the link lib → usr/lib and names headers "lib/gcc/…/../../../../include", which ninja takes for
  // a folder that is not there: it would build everything every time.
  const gcc = join(sysroot, 'usr/lib/gcc/x86_64-linux-gnu/14');
  for (const [name, clang] of [
    ['cc', 'clang'],
    ['c++', 'clang++'],
  ]) {
    const flags = [
      `--sysroot='${sysroot}' -fuse-ld=lld -Qunused-arguments -Wl,-rpath,'${lib}'`,
      `--gcc-install-dir='${gcc}' -Wl,--dynamic-linker='${lib}/ld-linux-x86-64.so.2'`,
    ];
    writeFileSync(
      join(prefix, name),
      `#!/bin/sh\nexec '${sysroot}/usr/lib/llvm-19/bin/${clang}' ${flags.join(' ')} "$@"\n`,
      { mode: 0o755 },
    );
  }
}

/** Throws if packages cannot be installed on this system. */
function requireDebianLike(missing) {
  if (process.platform === 'linux' && process.arch === 'x64' && findOnPath('apt-get')) return;
  throw new StepError(
    `Missing: ${missing.map((name) => tools[name].title).join('; ')}.`,
    `On x86-64 Linux with apt this would be set up by itself; this is ${process.platform} ${process.arch}` +
      `${process.platform === 'linux' ? ' without apt-get' : ''}. Install what is missing and put it on PATH` +
      ' (Emscripten may also be named by $EMSDK, the browser by $CHROMIUM), then run this again.',
  );
}

/** The last call of apt-get, which runs once at a time. It never fails: it returns why. */
let lastInstalling = Promise.resolve();
let updating;

function apt(...args) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  return run('apt-get', ['-o', 'Acquire::Retries=3', ...args], { env, allowFailure: true });
}

/** Why Debian's packages could not be installed; undefined once they are. */
function installWithApt(packages) {
  lastInstalling = lastInstalling.then(async () => {
    try {
      updating ??= apt('update');
      await updating;
      const { status } = await apt('install', '-y', '--no-install-recommends', ...packages);
      return status === 0
        ? undefined
        : `apt-get install ${packages.join(' ')} failed with status ${status}`;
    } catch (error) {
      return String(error);
    }
  });
  return lastInstalling;
}

const mayInstall = () => process.getuid() === 0 && !process.env.SUSURRUS_NO_APT_INSTALL;

/** Why an optional tool is not there; undefined once it is. */
async function installOptional({ title, debian, find }) {
  if (process.platform !== 'linux' || !findOnPath('apt-get')) return 'there is no apt-get here';
  if (!mayInstall()) return `root may: apt-get install ${debian.join(' ')}`;
  const reason = await step(`installing ${title} with apt`, () => installWithApt(debian));
  return find() ? undefined : (reason ?? `${debian.join(' ')} did not bring it`);
}

/** Returns nothing: a reason is said for each that stays away. */
async function obtainOptional(names) {
  const missing = names.map((name) => tools[name]).filter(({ find }) => !find());
  await Promise.all(
    missing.map(async (tool) => {
      const reason = await installOptional(tool);
      const { title, otherwise = 'what needs it is skipped' } = tool;
      if (reason !== undefined) report(`no ${title}, ${otherwise}: ${reason}`);
    }),
  );
}

/** Throws if one cannot be had. */
async function obtain(names) {
  // In the table's order: Emscripten's packages bring clang-format along.
  const missing = () =>
    Object.keys(tools).filter((name) => names.includes(name) && !tools[name].find());
  const wanted = missing();
  if (wanted.length === 0) return;
  requireDebianLike(wanted);
  mkdirSync(folder, { recursive: true });
  const withApt = wanted.filter((name) => tools[name].debian);
  if (withApt.length > 0 && mayInstall()) {
    const reason = await step(`installing ${withApt.join(', ')} with apt`, () =>
      installWithApt(withApt.flatMap((name) => tools[name].debian)),
    );
    if (reason !== undefined) console.log(`  ${reason}; unpacking instead`);
  }
  for (const name of wanted) {
    if (tools[name].find()) continue; // installed, or it came with another one
    await step(`unpacking ${tools[name].title} into .toolchain/`, () => tools[name].unpack());
  }
  const lacking = missing();
  if (lacking.length === 0) return;
  throw new StepError(
    `Still missing after set-up: ${lacking.map((name) => tools[name].title).join('; ')}.`,
    'Remove the folder .toolchain and try again, or install it and put it on PATH.',
  );
}

/**
 * Paths of the named tools ('emcc', 'cmake', 'chromium', 'firefox'), obtained first where they are missing; undefined for
 * an optional one that cannot be had here.
 */
export async function ensureTools(names) {
  const isOptional = (name) => tools[name].unpack === undefined;
  // What has to be there comes first in apt's queue.
  await Promise.all([
    obtain(names.filter((name) => !isOptional(name))),
    obtainOptional(names.filter(isOptional)),
  ]);
  return Object.fromEntries(names.map((name) => [name, tools[name].find()]));
}

/** What emcc needs in its environment, given its path. */
export function emscriptenEnvironment(emcc) {
  const bin = dirname(emcc);
  const env = {
    PATH: [script('tsc_for_emcc'), bin, process.env.PATH].join(delimiter),
  };
  if (bin.startsWith(folder)) {
    // The cache that came with the package: a fresh one would build libc and libc++ for two minutes.
    env.EM_CACHE = join(bin, 'cache');
    env.EM_CONFIG = join(folder, `emscripten-${emscriptenVersion}`, 'em_config');
  }
  return env;
}
