import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type LocalBrowser, packagedBrowser } from './packaged-browser.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
const macApps = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * Returns the browser that `CHROMIUM_PATH` names, or the packaged one, or one that is installed on this machine.
 * @throws with a line that says why there is none and how to get one
 */
export async function findBrowser(
  env: NodeJS.ProcessEnv = process.env,
  packaged: () => Promise<LocalBrowser> = packagedBrowser,
  apps: readonly string[] = macApps,
): Promise<LocalBrowser> {
  if (env.CHROMIUM_PATH) {
    if (isExecutable(env.CHROMIUM_PATH)) return { executablePath: env.CHROMIUM_PATH, env: {} };
    throw new Error(`CHROMIUM_PATH names ${env.CHROMIUM_PATH}, which can't be run`);
  }
  try {
    return await packaged();
  } catch (error) {
    const executablePath = installedBrowser(env.PATH ?? '', apps);
    if (executablePath) return { executablePath, env: {} };
    throw new Error(
      `no browser (${(error as Error).message}): install Chromium or Chrome (Debian: apt-get install chromium), or name one with CHROMIUM_PATH`,
    );
  }
}

function installedBrowser(path: string, apps: readonly string[]): string | undefined {
  const folders = path.split(delimiter).filter(Boolean);
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [...candidates, ...apps].find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
