import { checkAccount } from '@botyard/contracts/events/webhook-accounts';
import { answer } from '@botyard/shared/bus/requests';
import { Keyring } from '@botyard/shared/secrets/keyring';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { createTrials, tryAccount } from '../../webhooks/src/endpoints/domain/check-account.ts';
import { createMessengerClient } from '../../webhooks/src/platforms/telegram/clients/messenger.ts';
import { checkAccount as checkBot } from '../../webhooks/src/platforms/telegram/domain/check-account.ts';

/** An app of Slack that lacks a permission. */
const fewScopes = {
  checkAccount: async ({ credentials: { botToken = '' } }: { credentials: Record<string, string> }) => ({
    outcome: 'ok',
    accountId: `A1/${botToken}`,
    secrets: { appId: 'A1', teamId: 'T1', botUserId: 'U1', botId: 'B1' },
    warnings: ['the app lacks the scope files:read: files are not received'],
  }),
};

/** Answers trials of credentials as the webhooks service does, which isn't running. */
export async function answerTrials(
  harness: ServiceHarness,
  messenger: Pick<FakeMessenger, 'url'>,
  namespace = harness.namespace,
): Promise<void> {
  const log = harness.log('webhooks');
  const client = createMessengerClient(messenger.url, log);
  const adapter = { checkAccount: (trial: Parameters<typeof checkBot>[1]) => checkBot(client, trial) };
  const deps = {
    log,
    keyring: Keyring.parse(harness.secretsKeys),
    platforms: { messenger: adapter, slack: fewScopes },
  } as unknown as Parameters<typeof tryAccount>[0];
  const trials = createTrials();
  answer(await harness.busAs('webhooks', { namespace }), checkAccount, (trial) =>
    tryAccount(deps, trials, trial),
  );
}
