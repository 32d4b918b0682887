import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import { expect } from 'vitest';
import type { Step, Tables } from '../support/tables.ts';
import { tenancyAsks } from './tenancy-asks.ts';
import { tenancyWatches } from './tenancy-callers.ts';
import { addBot, botOf, integrate, integrationsOf, settle } from './tenancy-world.ts';

/** The tenant's own policy refuses everybody everything. */
const forbidAll: Step = async (lone, world) => {
  await settle(lone, world);
  const text = 'forbid(principal is User, action, resource);';
  await lone.make(world, 'POST', '/api/auth/policies', { name: 'Nobody', text });
};

/** The world's admin has linked the account that the samples name. */
const linkAccount: Step = async (lone, world) => {
  await settle(lone, world);
  await lone.rows(
    `insert into tenancy.identity_links (link_id, user_id, platform, platform_user_id)
     values (gen_random_uuid(), $1, 'messenger', '5512345678')
     on conflict (platform, platform_user_id) do update set user_id = $1`,
    [world.id('userId')],
  );
};

/** The bot is let into the group that the sample moves. */
const grantGroup: Step = async (lone, world) => {
  await addBot(lone, world);
  const grant = { botId: world.id('botId'), platform: 'messenger', platformChatId: '-4123456789' };
  await lone.make(world, 'POST', '/api/auth/channel-grants', grant);
};

/** The tenant has a token of the hash that the samples ask for. */
const makeApiToken: Step = async (lone, world) => {
  await settle(lone, world);
  await lone.rows(
    `insert into tenancy.api_tokens (tenant_id, token_id, token_hash, masked_token, name, role)
     values ($1, gen_random_uuid(), '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', '…abcd', 'Shop', 'member')
     on conflict (token_hash) do update set tenant_id = $1`,
    [world.tenantId],
  );
};

export function tenancyTables(messenger: () => FakeMessenger): Tables {
  const integrated = integrate(messenger);
  return {
    asks: tenancyAsks(messenger),
    answers: {
      'tenancy.caller.resolve.v1': async (lone, world) => {
        await settle(lone, world);
        const { tenantId } = world;
        return ({ caller }) => {
          expect(caller).toMatchObject({ userId: world.id('userId'), isOperator: false });
          expect(caller.roles).toEqual([{ tenantId, role: 'admin' }]);
        };
      },
      'tenancy.token.find.v1': async (lone, world) => {
        await makeApiToken(lone, world);
        const { tenantId } = world;
        return ({ token }) => expect(token).toMatchObject({ tenantId, expiresInMs: null });
      },
      'tenancy.tenant.exists.v1': async (lone, world) => {
        await settle(lone, world);
        return (answer) => expect(answer).toEqual({ exists: true });
      },
      'tenancy.access.decide.v1': async (lone, world) => {
        await forbidAll(lone, world);
        const { tenantId } = world;
        return ({ refusals }) => expect(refusals).toMatchObject([{ tenantId, reason: 'policy' }]);
      },
      'tenancy.integration.find.v1': async (lone, world) => {
        await integrated(lone, world);
        const integrationId = world.id('integrationId');
        return ({ integration }) => expect(integration).toMatchObject({ integrationId, revision: 1 });
      },
      'tenancy.bot.find.v1': async (lone, world) => {
        await addBot(lone, world);
        return ({ bot }) => expect(bot).toMatchObject({ botId: world.id('botId'), name: 'Support' });
      },
      'tenancy.message.admit.v1': async (lone, world) => {
        await addBot(lone, world);
        return (answer) => expect(answer).toEqual({ refusals: [], isUnrestricted: true });
      },
      'tenancy.account.owners.v1': async (lone, world) => {
        await linkAccount(lone, world);
        return ({ owners }) => expect(owners).toMatchObject([{ userId: world.id('userId') }]);
      },
      'tenancy.staff.find.v1': async (lone, world) => {
        await settle(lone, world);
        return ({ staff }) => expect(staff).toMatchObject([{ userId: world.id('userId') }]);
      },
    },
    consumes: {
      'webhooks.registration.changed.v1': {
        arrange: integrated,
        effect: async (lone, world) => {
          const path = `${integrationsOf(world)}/${world.id('integrationId')}`;
          const { registration } = await lone.make(world, 'GET', path);
          return registration.state === 'registered';
        },
      },
      'webhooks.identity.changed.v1': {
        effect: async (lone, world) => {
          const rows = await lone.rows('select from tenancy.users where idp_user_id = $1', [
            world.said('user_2abc'),
          ]);
          return rows.length === 1;
        },
      },
      'webhooks.chat.migrated.v1': {
        arrange: grantGroup,
        effect: async (lone, world) => {
          const [grant] = await lone.make(world, 'GET', '/api/auth/channel-grants');
          return grant.platformChatId === '-1002700000001';
        },
      },
    },
    watches: tenancyWatches,
    publishes: {
      'tenancy.bot.saved.v1': addBot,
      'tenancy.bot.deleted.v1': async (lone, world) => {
        await addBot(lone, world);
        await lone.make(world, 'DELETE', botOf(world));
      },
      'tenancy.integration.saved.v1': integrated,
      'tenancy.integration.deleted.v1': async (lone, world) => {
        await integrated(lone, world);
        await lone.make(world, 'DELETE', `${integrationsOf(world)}/${world.id('integrationId')}`);
      },
      'tenancy.tenant.deleted.v1': async (lone, world) => {
        await settle(lone, world);
        await lone.make(world, 'DELETE', `/api/bots/tenants/${world.tenantId}`);
      },
      'tenancy.access.changed.v1': settle,
      'tenancy.authorization.changed.v1': forbidAll,
    },
    signals: {},
    listens: {},
  };
}
