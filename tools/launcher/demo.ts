/**
 * `node tools/launcher/demo.ts` creates the demo bot of an installation in containers. It reads `GATEWAY_URL`,
 * `SANDBOX_URL`, `WEBHOOK_BASE_URL` and `DEMO_BOT_TOKEN`. Without a token there is no demo, and it exits immediately.
 */
import { tmpdir } from 'node:os';
import { readConfig } from '@botyard/shared/config/config';
import { z } from 'zod';
import { waitForHealth } from './processes/health.ts';
import { keepDemo } from './seed.ts';
import { mailFake } from './settings/fakes.ts';

const DemoConfig = z.object({
  GATEWAY_URL: z.url(),
  /** The address at which a browser on this machine reaches the sandbox. */
  SANDBOX_PAGE_URL: z.url(),
  SANDBOX_URL: z.url(),
  WEBHOOK_BASE_URL: z.url(),
  DEMO_BOT_TOKEN: z.string(),
});

try {
  if (process.env.DEMO_BOT_TOKEN) await makeDemo(readConfig(DemoConfig, process.env));
  else console.log('demo: not needed, because every platform is a real one');
} catch (error) {
  console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function makeDemo(config: z.output<typeof DemoConfig>): Promise<void> {
  await waitForHealth(config.GATEWAY_URL, () => false);
  const { name } = await keepDemo(config.GATEWAY_URL, {
    dataDir: tmpdir(),
    botToken: config.DEMO_BOT_TOKEN,
    sandboxUrl: config.SANDBOX_URL,
    webhookBaseUrl: config.WEBHOOK_BASE_URL,
    sandboxPageUrl: config.SANDBOX_PAGE_URL,
    // The other platforms refuse an address that is neither public nor of this machine.
    fakes: new Set([mailFake]),
  });
  console.log(`Botyard is up: gateway at ${config.GATEWAY_URL}`);
  console.log(`Open ${config.SANDBOX_PAGE_URL} to chat with ${name}, or: npm run chat -- "hello"`);
}
