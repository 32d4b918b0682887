import { expect } from 'vitest';
import type { Step, Tables } from '../support/tables.ts';
import { tenancyAsks } from './tenancy-asks.ts';
import { tenancyWatches } from './tenancy-callers.ts';
import { addBot, botOf, createTenant, integrate, integrationsOf } from './tenancy-steps.ts';

/** The tenant's own policy refuses everybody everything. */
const forbidAll: Step = async (sut, tenant) => {
  await createTenant(sut, tenant);
  const text = 'forbid(principal is User, action, resource);';
  await sut.make(tenant, 'POST', '/api/auth/policies', { name: 'Nobody', text });
};

/** The tenant's admin has linked the account that the samples name. */
const linkAccount: Step = async (sut, tenant) => {
  await createTenant(sut, tenant);
  await sut.rows(
    `insert into tenancy.identity_links (link_id, user_id, platform, platform_user_id)
     values (gen_random_uuid(), $1, 'messenger', '5512345678')
     on conflict (platform, platform_user_id) do update set user_id = $1`,
    [tenant.id('userId')],
  );
};

/** The bot is let into the group that the sample moves. */
const grantGroup: Step = async (sut, tenant) => {
  await addBot(sut, tenant);
  const grant = { botId: tenant.id('botId'), platform: 'messenger', platformChatId: '-4123456789' };
  await sut.make(tenant, 'POST', '/api/auth/channel-grants', grant);
};

/** The person whose identifier the sample changes is muted. */
const mutePerson: Step = async (sut, tenant) => {
  await createTenant(sut, tenant);
  const person = { platform: 'whatsapp', platformUserId: 'DE.13491208655302741918' };
  await sut.make(tenant, 'POST', '/api/auth/moderation', person);
};

export function tenancyTables(): Tables {
  return {
    asks: tenancyAsks(),
    answers: {
      'tenancy.caller.resolve.v1': async (sut, tenant) => {
        await createTenant(sut, tenant);
        const { tenantId } = tenant;
        return ({ caller }) => {
          expect(caller).toMatchObject({ userId: tenant.id('userId'), isOperator: false });
          expect(caller.roles).toEqual([{ tenantId, role: 'admin' }]);
        };
      },
      'tenancy.token.find.v1': async () => (answer) => expect(answer).toEqual({ token: null }),
      'tenancy.tenant.exists.v1': async (sut, tenant) => {
        await createTenant(sut, tenant);
        return (answer) => expect(answer).toEqual({ exists: true });
      },
      'tenancy.access.decide.v1': async (sut, tenant) => {
        await forbidAll(sut, tenant);
        const { tenantId } = tenant;
        return ({ refusals }) => expect(refusals).toMatchObject([{ tenantId, reason: 'policy' }]);
      },
      'tenancy.integration.find.v1': async (sut, tenant) => {
        await integrate(sut, tenant);
        const integrationId = tenant.id('integrationId');
        return ({ integration }) => expect(integration).toMatchObject({ integrationId, revision: 1 });
      },
      // The sample's secrets were sealed by nobody.
      'tenancy.integration.install.v1': async (sut, tenant) => {
        await addBot(sut, tenant);
        return (answer) => expect(answer).toEqual({ outcome: 'refused', reason: 'not readable' });
      },
      'tenancy.integration.secrets.v1': () =>
        Promise.resolve((answer) => {
          expect(answer).toEqual({ outcome: 'not readable' });
        }),
      'tenancy.bot.find.v1': async (sut, tenant) => {
        await addBot(sut, tenant);
        return ({ bot }) => expect(bot).toMatchObject({ botId: tenant.id('botId'), name: 'Support' });
      },
      'tenancy.message.admit.v1': async (sut, tenant) => {
        await addBot(sut, tenant);
        return (answer) => expect(answer).toEqual({ refusals: [], isUnrestricted: true });
      },
      'tenancy.account.owners.v1': async (sut, tenant) => {
        await linkAccount(sut, tenant);
        return ({ owners }) => expect(owners).toMatchObject([{ userId: tenant.id('userId') }]);
      },
      'tenancy.secret.find.v1': async (sut, tenant) => {
        await integrate(sut, tenant);
        return (answer) => expect(answer).toEqual({ isFound: false });
      },
      'tenancy.staff.find.v1': async (sut, tenant) => {
        await createTenant(sut, tenant);
        return ({ staff }) => expect(staff).toMatchObject([{ userId: tenant.id('userId') }]);
      },
    },
    consumes: {
      'webhooks.registration.changed.v1': {
        arrange: integrate,
        effect: async (sut, tenant) => {
          const path = `${integrationsOf(tenant)}/${tenant.id('integrationId')}`;
          const { registration } = await sut.make(tenant, 'GET', path);
          return registration.state === 'registered';
        },
      },
      'webhooks.account.changed.v1': {
        arrange: integrate,
        effect: async (sut, tenant) =>
          (
            await sut.rows(
              `select from tenancy.integrations where tenant_id = $1 and account_changed_at > '2090-01-01'`,
              [tenant.tenantId],
            )
          ).length > 0,
      },
      'webhooks.identity.changed.v1': {
        effect: async (sut, tenant) => {
          const rows = await sut.rows('select from tenancy.users where idp_user_id = $1', [
            tenant.withOwnIds('user_2abc'),
          ]);
          return rows.length === 1;
        },
      },
      'webhooks.chat.migrated.v1': {
        arrange: grantGroup,
        effect: async (sut, tenant) => {
          const [grant] = await sut.make(tenant, 'GET', '/api/auth/channel-grants');
          return grant.platformChatId === '-1002700000001';
        },
      },
      'agents.release.changed.v1': {
        arrange: createTenant,
        today: (release) => ({
          ...release,
          state: 'withdrawn',
          share: 0,
          reason: 'failed',
          withdrawnByRule: { agentName: 'Support' },
        }),
        effect: async (sut, { tenantId }) =>
          (await sut.rows('select from tenancy.release_mails where tenant_id = $1', [tenantId])).length > 0,
      },
      'webhooks.person.renamed.v1': {
        arrange: mutePerson,
        effect: async (sut, tenant) => {
          const [mute] = await sut.make(tenant, 'GET', '/api/auth/moderation');
          return mute.platformUserId === 'DE.13491208655302749999';
        },
      },
    },
    watches: tenancyWatches,
    publishes: {
      'tenancy.bot.saved.v1': addBot,
      'tenancy.bot.deleted.v1': async (sut, tenant) => {
        await addBot(sut, tenant);
        await sut.make(tenant, 'DELETE', botOf(tenant));
      },
      'tenancy.integration.saved.v1': integrate,
      'tenancy.integration.deleted.v1': async (sut, tenant) => {
        await integrate(sut, tenant);
        await sut.make(tenant, 'DELETE', `${integrationsOf(tenant)}/${tenant.id('integrationId')}`);
      },
      'tenancy.tenant.deleted.v1': async (sut, tenant) => {
        await createTenant(sut, tenant);
        await sut.make(tenant, 'DELETE', `/api/bots/tenants/${tenant.tenantId}`);
      },
      'tenancy.access.changed.v1': createTenant,
      'tenancy.authorization.changed.v1': forbidAll,
    },
    signals: {},
    listens: {},
  };
}
