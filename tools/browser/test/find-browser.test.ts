import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserTests } from '../../../test/tests-by-import.ts';
import { findBrowser } from '../find-browser.ts';

let folder: string;
let installed: string;
const packaged = async () => ({
  executablePath: '/packaged/chromium',
  env: { LD_LIBRARY_PATH: '/packaged' },
});
const noPackage = async () => {
  throw new Error('there is no package for linux-arm64');
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-browser-'));
  installed = join(folder, 'chromium');
  await writeFile(installed, '#!/bin/sh\n');
  await chmod(installed, 0o755);
});

afterAll(() => rm(folder, { recursive: true }));

test('CHROMIUM_PATH goes before the packaged browser, which goes before an installed one', async () => {
  const named = await findBrowser({ CHROMIUM_PATH: installed, PATH: '' }, packaged);
  expect(named).toEqual({ executablePath: installed, env: {} });
  expect(await findBrowser({ PATH: folder }, packaged)).toEqual(await packaged());
  expect(await findBrowser({ PATH: folder }, noPackage)).toEqual({ executablePath: installed, env: {} });
});

test('a CHROMIUM_PATH that names no program is refused, and no other browser is taken instead', async () => {
  const CHROMIUM_PATH = join(folder, 'no-such-browser');
  await expect(findBrowser({ CHROMIUM_PATH, PATH: folder }, packaged)).rejects.toThrow(
    `CHROMIUM_PATH names ${CHROMIUM_PATH}, which can't be run`,
  );
});

test('without any browser one line says why there is none and how to get one', async () => {
  await expect(findBrowser({ PATH: '' }, noPackage, [])).rejects.toThrow(
    /^no browser \(there is no package for linux-arm64\): install Chromium or Chrome .*CHROMIUM_PATH$/,
  );
});

test('test files that open a browser, themselves or by a helper, are left out where there is none', () => {
  const files = browserTests();
  expect(files).toContain('test/e2e/attack/pages.test.ts');
  expect(files).toContain('test/e2e/console/walk.test.ts');
  const opens =
    /^(test\/e2e\/(attack|console|reference)\/|test\/e2e\/sandbox-channels|services\/webhooks\/test\/platforms\/webchat\/widget)/;
  for (const path of files) expect(path).toMatch(opens);
});
