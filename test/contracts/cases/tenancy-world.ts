import { randomBytes, randomInt } from 'node:crypto';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import type { Step } from '../support/tables.ts';

/** The world's tenant, with its admin. */
export const settle: Step = async (lone, world) => {
  const { tenantId } = await lone.make(world, 'POST', '/api/bots/tenants', { name: `Acme ${world.tag}` });
  const { userId } = await lone.make(world, 'GET', '/api/current-user');
  world.meet({ tenantId, userId });
};

/** A bot of the tenant. */
export const addBot: Step = async (lone, world) => {
  await settle(lone, world);
  const { botId } = await lone.make(world, 'POST', `/api/bots/${world.tenantId}/bots`, { name: 'Support' });
  world.meet({ botId });
};

/** Its integration with the messenger. */
export const integrate =
  (messenger: () => FakeMessenger): Step =>
  async (lone, world) => {
    await addBot(lone, world);
    const botToken = `${randomInt(1e8, 1e9)}:${randomBytes(26).toString('base64url')}`;
    messenger().addBot({ token: botToken });
    const { integrationId } = await lone.make(world, 'POST', integrationsOf(world), {
      integrationType: 'messenger',
      credentials: { botToken, botName: 'Support' },
    });
    world.meet({ integrationId });
  };

export const botOf = (world: Parameters<Step>[1]): string =>
  `/api/bots/${world.tenantId}/${world.id('botId')}`;
export const integrationsOf = (world: Parameters<Step>[1]): string => `${botOf(world)}/integrations`;
