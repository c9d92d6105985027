// The package's types in programs without skipLibCheck, by several versions of TypeScript and all ways to resolve modules, and
// what publint and attw say of package.json.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../toolchain/steps.mjs';

const versions = ['5.0', '5.4', '5.9', '6.0'];
const resolutions = [
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
];
const programs = [
  ['page.ts', ['es2022', 'dom', 'dom.iterable'], []],
  // Without `types`, as in a fresh tsconfig.json, TypeScript reads all of node_modules/@types.
  ['page.ts', ['es2022', 'dom', 'dom.iterable'], undefined],
  ['server.ts', ['es2022'], ['node']],
];

/** Problems, one a line; none is an empty list. */
export async function checkTypes(tarball) {
  const folder = join(root, 'build/projects/types');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, 'scripts/projects/types'), folder, { recursive: true });
  cpSync(join(root, '.npmrc'), join(folder, '.npmrc'));
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['ci', ...quiet], { cwd: folder });
  await run('npm', ['install', '--no-save', tarball, ...quiet], { cwd: folder });
  const problems = [];
  for (const version of versions) {
    for (const [moduleResolution, module] of resolutions) {
      for (const [program, lib, types] of programs) {
        const compilerOptions = {
          ...{ strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes: true },
          ...{ target: 'es2022', lib, types, module, moduleResolution },
        };
        const config = { compilerOptions, files: [program] };
        writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
        const { status, output } = await run(
          process.execPath,
          [`node_modules/typescript-${version}/bin/tsc`],
          { cwd: folder, allowFailure: true },
        );
        if (status !== 0) problems.push(`TypeScript ${version}, ${moduleResolution}: ${output}`);
      }
    }
  }
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const withoutTypes = Object.keys(exports).filter((path) => typeof exports[path] === 'string');
  const tools = [
    ['publint/src/cli.js', 'run', 'node_modules/susurrus', '--strict'],
    [
      // Node 10's resolution finds no subpaths, the package is modules only, and data has no types.
      ...['@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only'],
      ...['--format', 'ascii', '--exclude-entrypoints', ...withoutTypes],
    ],
  ];
  for (const [tool, ...args] of tools) {
    const { status, output } = await run(
      process.execPath,
      [join(folder, 'node_modules', tool), ...args],
      { cwd: folder, allowFailure: true },
    );
    if (status !== 0) problems.push(`${tool}: ${output}`);
  }
  return problems;
}
