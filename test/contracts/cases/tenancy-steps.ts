import { accountBinding, checkAccount } from '@botyard/contracts/events/webhook-accounts';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import type { Answer } from '@botyard/testing/test-call';
import type { z } from 'zod';
import type { ServiceUnderTest } from '../support/service-under-test.ts';
import type { Step } from '../support/tables.ts';

/** The tenant itself, with its admin. */
export const createTenant: Step = async (sut, tenant) => {
  const { tenantId } = await sut.make(tenant, 'POST', '/api/bots/tenants', { name: `Acme ${tenant.tag}` });
  const { userId } = await sut.make(tenant, 'GET', '/api/current-user');
  tenant.useIds({ tenantId, userId });
};

/** A bot of the tenant. */
export const addBot: Step = async (sut, tenant) => {
  await createTenant(sut, tenant);
  const { botId } = await sut.make(tenant, 'POST', `/api/bots/${tenant.tenantId}/bots`, { name: 'Support' });
  tenant.useIds({ botId });
};

/** Its integration with the messenger. */
export const integrate: Step = async (sut, tenant) => {
  await addBot(sut, tenant);
  await sut.fakes.answerWith(checkAccount, async (question) => ({
    ok: { outcome: 'ok', ...(await accountOf(sut, question as Trial)) },
  }));
  const { integrationId } = await sut.make(tenant, 'POST', integrationsOf(tenant), messengerBody);
  tenant.useIds({ integrationId });
};

type Trial = z.output<(typeof checkAccount)['request']>;

/** An account of the bot alone, sealed as by the webhooks service. */
export async function accountOf(sut: ServiceUnderTest, trial: Trial) {
  const secrets = { platformBotId: trial.botId, botUsername: 'support_bot' };
  const keyring = Keyring.parse(sut.harness.secretsKeys);
  const sealedSecrets = await keyring.seal(new Secret(JSON.stringify(secrets)), accountBinding(trial));
  return { accountId: trial.botId, sealedSecrets };
}

const messengerBody = {
  integrationType: 'messenger',
  credentials: { botToken: '5000000000:tried-by-a-fake', botName: 'Support' },
};

/** Connects the tenant's bot; the credentials are tried by the fake webhooks service. */
export const connect: Step<Answer> = (sut, tenant) =>
  sut.call(tenant, 'POST', integrationsOf(tenant), messengerBody);

export const botOf = (tenant: Parameters<Step>[1]): string =>
  `/api/bots/${tenant.tenantId}/${tenant.id('botId')}`;
export const integrationsOf = (tenant: Parameters<Step>[1]): string => `${botOf(tenant)}/integrations`;
