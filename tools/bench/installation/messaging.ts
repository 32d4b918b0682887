import { join } from 'node:path';
import type { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult, WebhookTarget } from '../load/messages.ts';
import { type Bench, profileEnv } from '../part.ts';
import { type Check, check } from '../report/table.ts';
import { createBots } from './bots.ts';
import { type Installation, startInstallation } from './installation.ts';

/** Starts all of Botyard with the load process as its platforms, and creates bots, tenant by tenant. */
export async function startMessagingInstallation(
  bench: Bench,
  load: LoadProcess,
  size: { tenants: number; botsPerTenant: number },
  checkout?: string,
): Promise<{ installation: Installation; targets: WebhookTarget[] }> {
  const { messengerUrl, modelUrl } = await load.platforms();
  bench.say(checkout ? `starting all processes of ${checkout}` : 'starting all processes');
  const installation = await startInstallation({
    dataDir: join(bench.dir, checkout ? 'installation-beside' : 'installation'),
    checkout,
    cleanup: bench.cleanup,
    env: {
      MESSENGER_API_URL: messengerUrl,
      PRIVATE_LLM_BASE_URL: modelUrl,
      MAILER_API_URL: messengerUrl,
      MAILER_DOMAIN: 'bots.bench.example',
      MAILER_MESSAGES_PER_DAY: '1000000000',
      IDP_API_URL: messengerUrl,
      WEBHOOK_RATE_LIMIT_PER_MINUTE: '1000000000',
      ...profileEnv(bench),
    },
  });
  bench.say('creating bots');
  return { installation, targets: await createBots(installation.gatewayUrl, size) };
}

/** Checks that every accepted message was answered exactly once. */
export function answerChecks(name: string, results: readonly ConversationResult[]): Check[] {
  const total = (read: (result: ConversationResult) => number) =>
    results.reduce((sum, one) => sum + read(one), 0);
  const strange = results.flatMap((one) => one.strange);
  return [
    check(
      `${name}: lost of ${total(({ accepted }) => accepted)}`,
      0,
      total(({ lost }) => lost),
    ),
    check(
      `${name}: duplicated`,
      0,
      total(({ duplicated }) => duplicated),
    ),
    {
      what: `${name}: unexpected answers`,
      isRight: strange.length === 0,
      detail: `${strange.length}${strange[0] ? `, such as ${JSON.stringify(strange[0])}` : ''}`,
    },
  ];
}
