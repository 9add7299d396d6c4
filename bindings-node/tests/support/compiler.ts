/** TypeScript as users run it: `tsc --noEmit` over files of a project. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageFolder } from './places.js';

/** The compilers the package has to please: the newest, and the last one written in JavaScript. */
export const compilers = ['typescript', 'typescript-5'] as const;
export type Compiler = (typeof compilers)[number];

/** Runs a compiler in a folder; the lines of its problems, none when all is well. */
export function compile(compiler: Compiler, folder: string): string[] {
  const tsc = join(packageFolder(compiler), 'bin/tsc');
  const { stdout, stderr, status } = spawnSync(process.execPath, [tsc, '--noEmit', '--pretty', 'false', '-p', folder], {
    encoding: 'utf8',
  });
  return status === 0 ? [] : `${stdout}${stderr}`.trim().split('\n');
}

let made = 0;

/** A project of these files that sees this package and the packages named; the folder is gone at the end of the process. */
export function project(
  files: Record<string, string>,
  packages: string[] = [],
  options: Record<string, unknown> = {},
): string {
  const folder = join(tmpdir(), `omniport-types-${process.pid}-${made++}`);
  for (const name of ['omniport', '@types/node', ...packages]) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(packageFolder(name), link, 'junction');
  }
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'esnext.disposable'],
    module: 'node16',
    moduleResolution: 'node16',
    strict: true,
    types: ['node'],
    ...options,
  };
  const all = {
    'package.json': JSON.stringify({ private: true, type: 'module' }),
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['**/*'], exclude: ['node_modules'] }),
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
