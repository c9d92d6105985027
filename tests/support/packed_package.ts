import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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

const npm = (args: string[], cwd: string): string =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Packs a package as `npm publish` would, into `folder`. */
function pack(from: string, folder: string): { path: string; files: string[] } {
  const packed = npm(['pack', '--json', '--pack-destination', folder], from);
  const [{ filename, files }] = JSON.parse(packed) as [
    { filename: string; files: { path: string }[] },
  ];
  return { path: join(folder, filename), files: files.map((file) => file.path) };
}

// Dependencies, if any, are in npm's cache since this project's own were installed.
const install = (path: string, project: string): string =>
  npm(['install', path, '--prefer-offline', '--no-audit', '--no-fund'], project);

/** A name for all that npm may pack, which is another one once a file was written. */
function nameOfContent(): string {
  const names = createHash('sha256');
  const add = (path: string): void => {
    const entries = readdirSync(path, { withFileTypes: true });
    for (const entry of entries) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') add(inner);
      } else if (entry.isFile()) {
        const { size, mtimeMs } = statSync(inner);
        names.update(`${inner} ${size} ${mtimeMs}\n`);
      }
    }
  };
  const manifest = readFileSync(join(projectRoot, 'package.json'), 'utf8');
  names.update(manifest);
  const { files } = JSON.parse(manifest) as { files: string[] };
  for (const pattern of files.filter((one) => !one.startsWith('!'))) {
    const path = join(projectRoot, pattern.replace(/\/\*.*/, ''));
    if (statSync(path).isDirectory()) add(path);
    else names.update(readFileSync(path));
  }
  return names.digest('hex').slice(0, 16);
}

/** Where the package as it is now lies packed, beside a project with it. npm takes seconds for that; suites copy it. */
function packedNow(): string {
  const all = join(projectRoot, 'build/packed');
  const name = nameOfContent();
  const folder = join(all, name);
  if (existsSync(folder)) return folder;
  mkdirSync(all, { recursive: true });
  const making = mkdtempSync(join(all, 'making-'));
  const { path, files } = pack(projectRoot, making);
  const project = join(making, 'project');
  mkdirSync(project);
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'empty', private: true, type: 'module' }),
  );
  install(path, project);
  writeFileSync(join(making, 'files.json'), JSON.stringify(files));
  try {
    renameSync(making, folder);
  } catch (error) {
    // Another worker may have been quicker.
    rmSync(making, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  for (const other of readdirSync(all)) {
    if (other !== name && !other.startsWith('making-'))
      rmSync(join(all, other), { recursive: true, force: true });
  }
  return folder;
}

/** An empty project with the package, packed as `npm publish` would. */
export function installPacked(): EmptyProject {
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-package-'));
  cpSync(packedNow(), folder, { recursive: true, verbatimSymlinks: true });
  const project = join(folder, 'project');
  const files = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as string[];
  return {
    folder: project,
    files,
    write: (name, content) => writeFileSync(join(project, name), content),
    install(packageFolder) {
      const other = pack(packageFolder, folder);
      install(other.path, project);
      return other.files;
    },
    node: (...args) => execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
