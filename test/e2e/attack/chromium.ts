import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
const elsewhere = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** A browser for which these names lead to this machine, as their owner can let them at any moment (DNS rebinding). */
export async function openBrowser(rebound: readonly string[]): Promise<Browser> {
  return await chromium.launch({
    executablePath: findChromium(),
    headless: true,
    chromiumSandbox: false,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=${rebound.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
    ],
  });
}

/**
 * @throws with a line that says how to get one: without a browser these attacks were not tried, so nothing is proven.
 */
function findChromium(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = [
    process.env.CHROMIUM_PATH ?? '',
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    ...elsewhere,
  ];
  const found = candidates.find((path) => path !== '' && isExecutable(path));
  if (found) return found;
  throw new Error(
    'no Chromium: install one (Debian: apt-get install chromium), or name it with CHROMIUM_PATH',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
