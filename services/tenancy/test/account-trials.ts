import { checkAccount } from '@botyard/contracts/events/webhook-accounts';
import { answer } from '@botyard/shared/bus/requests';
import { Keyring } from '@botyard/shared/secrets/keyring';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { createTrials, tryAccount } from '../../webhooks/src/endpoints/domain/check-account.ts';
import { createMessengerClient } from '../../webhooks/src/platforms/telegram/clients/messenger.ts';
import { checkAccount as checkBot } from '../../webhooks/src/platforms/telegram/domain/check-account.ts';

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
    platforms: { messenger: adapter },
  } as unknown as Parameters<typeof tryAccount>[0];
  const trials = createTrials();
  answer(await harness.busAs('webhooks', { namespace }), checkAccount, (trial) =>
    tryAccount(deps, trials, trial),
  );
}
