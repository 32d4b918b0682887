import { type Browser, chromium } from 'playwright-core';
import { findBrowser } from './find-browser.ts';

/**
 * Opens a browser for which these names lead to this machine, as their owner can let them at any moment (DNS
 * rebinding).
 */
export async function openBrowser(rebound: readonly string[]): Promise<Browser> {
  const { executablePath, env } = await findBrowser();
  return await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
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
