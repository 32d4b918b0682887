import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const { faultOf } = createRequire(import.meta.url)('../../ensure.cjs') as {
  faultOf: (program: string) => string | undefined;
};
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-ensure-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** A program that fails as the system's loader does. */
async function failing(line: string, firstLine = '#!/bin/sh'): Promise<string> {
  const file = join(folder, 'program');
  await writeFile(file, `${firstLine}\ncat >&2 <<'END'\n${line}\nEND\nexit 127\n`);
  await chmod(file, 0o755);
  return file;
}

test('a packaged program that starts has no fault', () => {
  expect(faultOf(process.execPath)).toBeUndefined();
});

test('a missing library is named, with the package that has it', async () => {
  const line = (library: string) =>
    `node: error while loading shared libraries: ${library}: cannot open shared object file: No such file or directory`;
  expect(faultOf(await failing(line('libatomic.so.1')))).toBe(
    'the library libatomic.so.1 is missing: install it (Debian, Ubuntu: apt-get install libatomic1)',
  );
  expect(faultOf(await failing(line('libother.so.3')))).toBe(
    'the library libother.so.3 is missing: install it',
  );
});

test('libraries that are too old are named, with the versions that the program needs', async () => {
  const line = (version: string) =>
    `node: /lib/x86_64-linux-gnu/libm.so.6: version \`${version}' not found (required by node)`;
  expect(faultOf(await failing(`${line('GLIBC_2.27')}\n${line('GLIBC_2.28')}`))).toBe(
    'this system is too old for it: GLIBC_2.27 and GLIBC_2.28 not found. Use a newer release of the system',
  );
});

test('a program whose loader is missing, as on systems with musl, says that it needs glibc', async () => {
  expect(faultOf(await failing('', '#!/lib/no-such-loader.so'))).toMatch(/^the loader of glibc is missing/);
});

test('any other fault is shown in the words of the program', async () => {
  expect(faultOf(await failing('Illegal instruction'))).toBe('Illegal instruction');
  expect(faultOf(join(folder, 'no-such-program'))).toContain('ENOENT');
});
