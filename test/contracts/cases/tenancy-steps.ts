import { randomBytes, randomInt } from 'node:crypto';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
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
export const integrate =
  (messenger: () => FakeMessenger): Step =>
  async (sut, tenant) => {
    await addBot(sut, tenant);
    const botToken = `${randomInt(1e8, 1e9)}:${randomBytes(26).toString('base64url')}`;
    messenger().addBot({ token: botToken });
    const { integrationId } = await sut.make(tenant, 'POST', integrationsOf(tenant), {
      integrationType: 'messenger',
      credentials: { botToken, botName: 'Support' },
    });
    tenant.useIds({ integrationId });
  };

export const botOf = (tenant: Parameters<Step>[1]): string =>
  `/api/bots/${tenant.tenantId}/${tenant.id('botId')}`;
export const integrationsOf = (tenant: Parameters<Step>[1]): string => `${botOf(tenant)}/integrations`;
