// Finds the programs a build needs, and obtains what is missing: from PATH (or $EMSDK, $CHROMIUM) first, then with apt
// when run as root, else unpacked from Debian packages into the git-ignored .toolchain/.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { findOnPath, isAtLeast, root, run, step, StepError, versionLine } from './steps.mjs';

const folder = join(root, '.toolchain');
const script = (name) => join(root, 'scripts/toolchain', name);
const emscriptenVersion = '3.1.69';

/**
 * What each tool is called, what it must be, and where Debian has it. `find` answers a path or undefined;
 * `unpack` obtains it without root and answers nothing.
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

async function installWithApt(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const retries = ['-o', 'Acquire::Retries=3'];
  await run('apt-get', [...retries, 'update'], { env, allowFailure: true });
  const install = ['install', '-y', '--no-install-recommends', ...packages];
  const { status } = await run('apt-get', [...retries, ...install], { env, allowFailure: true });
  if (status !== 0)
    console.log(`  apt-get install ${packages.join(' ')} failed; unpacking instead`);
}

/** Paths of the named tools ('emcc', 'cmake', 'ninja', 'cxx', 'chromium'), obtained first where they are missing. */
export async function ensureTools(names) {
  const find = () => Object.fromEntries(names.map((name) => [name, tools[name].find()]));
  let found = find();
  // In the table's order: Emscripten's packages bring clang-format along.
  const missing = () => Object.keys(tools).filter((name) => names.includes(name) && !found[name]);
  if (missing().length > 0) {
    requireDebianLike(missing());
    mkdirSync(folder, { recursive: true });
    const withApt = missing().filter((name) => tools[name].debian);
    if (withApt.length > 0 && process.getuid() === 0 && !process.env.SUSURRUS_NO_APT_INSTALL) {
      await step(`installing ${withApt.join(', ')} with apt`, () =>
        installWithApt(withApt.flatMap((name) => tools[name].debian)),
      );
      found = find();
    }
    for (const name of missing()) {
      if (tools[name].find()) continue; // came with another one
      await step(`unpacking ${tools[name].title} into .toolchain/`, () => tools[name].unpack());
    }
    found = find();
    if (missing().length > 0) {
      throw new StepError(
        `Still missing after set-up: ${missing()
          .map((name) => tools[name].title)
          .join('; ')}.`,
        'Remove the folder .toolchain and try again, or install it and put it on PATH.',
      );
    }
  }
  return found;
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
