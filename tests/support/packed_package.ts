import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './shared_folder.js';

/** An empty project with the packed package installed in it. */
export interface EmptyProject {
  readonly folder: string;
  /** What the package holds, paths relative to its root. */
  readonly files: string[];
  write(name: string, content: string): void;
  /** Packs the package in another folder and installs it beside. Returns the files that it holds. */
  install(packageFolder: string): string[];
  /** Runs Node in the project's folder and returns what it printed. */
  node(...args: string[]): string;
  remove(): void;
}

/** Packs the package as `npm publish` would and installs it into an empty folder. */
export function installPacked(): EmptyProject {
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-package-'));
  const npm = (args: string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const pack = (from: string) => {
    const packed = npm(['pack', '--json', '--pack-destination', folder], from);
    const [{ filename, files }] = JSON.parse(packed) as [
      { filename: string; files: { path: string }[] },
    ];
    return { path: join(folder, filename), files: files.map((file) => file.path) };
  };
  const { path, files } = pack(projectRoot);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'empty', private: true, type: 'module' }),
  );
  // Dependencies, if any, are in npm's cache since this project's own were installed.
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund'];
  npm(['install', path, ...quiet], project);
  return {
    folder: project,
    files,
    write: (name, content) => writeFileSync(join(project, name), content),
    install(packageFolder) {
      const other = pack(packageFolder);
      npm(['install', other.path, ...quiet], project);
      return other.files;
    },
    node: (...args) => execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
