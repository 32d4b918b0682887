import { sendWithdrawalMail } from '@botyard/contracts/events/webhook-requests';
import { eventually } from '@botyard/testing/eventually';
import type { ServiceUnderTest } from '../support/service-under-test.ts';
import type { AskCase, Step } from '../support/tables.ts';
import type { TestTenant } from '../support/test-tenant.ts';
import { tenancyErasureAsks } from './tenancy-erasure.ts';
import { accountOf, addBot, botOf, connect, createTenant, integrate } from './tenancy-steps.ts';

const reads = (pathOf: string | ((tenant: TestTenant) => string), arrange: Step = createTenant): AskCase => ({
  arrange,
  provoke: (sut, tenant) => sut.call(tenant, 'GET', typeof pathOf === 'string' ? pathOf : pathOf(tenant)),
});

const allowanceOf = ({ tenantId }: TestTenant) => `/api/bots/superadmin/tenants/${tenantId}/allowance`;

/** A part of the dashboard: who doesn't answer is named in it, and the rest stands. */
const readsPart = (path: string): AskCase => ({ ...reads(path), absent: 200 });

/** The limits that others keep: they are left open while nobody answers. */
const readsLimits: AskCase = {
  arrange: createTenant,
  provoke: (sut, tenant) =>
    sut.process.call('GET', `/api/bots/superadmin/tenants/${tenant.tenantId}/limits`, {
      as: tenant.operator,
    }),
  absent: 200,
  refused: 200,
};

async function insertDueReleaseMail(sut: ServiceUnderTest, { tenantId }: TestTenant): Promise<void> {
  await sut.rows(
    `update tenancy.users set email = 'anna@example.com'
     where user_id in (select user_id from tenancy.memberships where tenant_id = $1 and role = 'admin')`,
    [tenantId],
  );
  await sut.rows(
    `insert into tenancy.release_mails
       (tenant_id, release_id, user_id, mail_id, agent_id, agent_name, version, reason, due_at)
     select tenant_id, gen_random_uuid(), user_id, gen_random_uuid(), gen_random_uuid(), 'Support', 3, 'failed', now()
     from tenancy.memberships where tenant_id = $1 and role = 'admin'`,
    [tenantId],
  );
}

/** The requests that tenancy sends to other services while somebody looks at a page, and while it erases a person. */
export function tenancyAsks(): Readonly<Record<string, AskCase>> {
  return {
    'agents.definition.missing.v1': {
      arrange: createTenant,
      provoke: (sut, tenant) =>
        sut.call(tenant, 'POST', `/api/bots/${tenant.tenantId}/bots`, {
          name: 'Support',
          agentIds: [tenant.id('agentId')],
        }),
      answered: { first: 400, 'none-missing': 201 },
    },
    'agents.definition.list.v1': reads('/api/bots/available-agents'),
    'agents.chat.list.v1': reads('/api/users/chats'),
    'agents.quote.list.v1': reads('/api/users/quotes'),
    'agents.person.list.v1': reads('/api/platform-users'),
    'agents.traffic.count.v1': reads('/api/platforms'),
    'webhooks.sending.sum.v1': reads('/api/platforms'),
    'webhooks.endpoint.health.v1': reads('/api/platforms/integrations', integrate),
    'webhooks.endpoint.check.v1': {
      arrange: integrate,
      provoke: (sut, tenant) =>
        sut.call(tenant, 'POST', `/api/platforms/integrations/${tenant.id('integrationId')}/check`),
      answered: 202,
    },
    'webhooks.account.check.v1': {
      arrange: addBot,
      provoke: connect,
      answered: { first: 201, refused: 422, failed: 503 },
      makeTrue: async (answer, { sut, question }) =>
        answer.outcome === 'ok' ? { ...answer, ...(await accountOf(sut, question)) } : answer,
    },
    'webhooks.installation.begin.v1': {
      arrange: addBot,
      provoke: (sut, tenant) => sut.call(tenant, 'POST', `${botOf(tenant)}/integrations/slack/authorize`),
      answered: { first: 201, refused: 422 },
    },
    'agents.bot.count.v1': reads((tenant) => `${botOf(tenant)}/stats?from=2026-11-19&to=2026-11-20`, addBot),
    'usage.bot.sum.v1': reads((tenant) => `${botOf(tenant)}/stats?from=2026-11-19&to=2026-11-20`, addBot),
    'usage.allowance.find.v1': {
      arrange: createTenant,
      provoke: (sut, tenant) => sut.process.call('GET', allowanceOf(tenant), { as: tenant.operator }),
    },
    'usage.allowance.set.v1': {
      arrange: createTenant,
      provoke: (sut, tenant) =>
        sut.process.call('PUT', allowanceOf(tenant), { as: tenant.operator, body: { monthlyTokens: 5000 } }),
    },
    'webhooks.storage.limit.v1': readsLimits,
    'agents.storage.limit.v1': readsLimits,
    // The invitation is still created, and its mail waits.
    'webhooks.invitation.send.v1': {
      arrange: createTenant,
      provoke: (sut, tenant) =>
        sut.call(tenant, 'POST', `/api/bots/tenants/${tenant.tenantId}/invitations`, {
          email: `anna@${tenant.tag}.example`,
          role: 'member',
        }),
      answered: 201,
      absent: 201,
      refused: 201,
      unreadable: 201,
    },
    'webhooks.withdrawal.send.v1': {
      arrange: createTenant,
      provoke: async (sut, tenant) => {
        const questions = sut.fakes.asked(sendWithdrawalMail);
        const before = questions.length;
        await insertDueReleaseMail(sut, tenant);
        if (sut.fakes.scriptOf(sendWithdrawalMail))
          await eventually('the mail is requested', () => questions.length > before);
        return await sut.call(tenant, 'GET', '/api/current-user');
      },
      isInBackground: true,
      absent: 200,
      refused: 200,
      unreadable: 200,
    },
    'agents.refusal.count.v1': reads('/api/auth/stats'),
    'agents.work.count.v1': readsPart('/api/dashboard/status'),
    'webhooks.sending.total.v1': readsPart('/api/dashboard/status'),
    'keys.key.count.v1': readsPart('/api/dashboard/status'),
    'usage.quota.left.v1': readsPart('/api/dashboard/tenants/status'),
    'agents.activity.sum.v1': readsPart('/api/dashboard/activity'),
    'usage.activity.sum.v1': readsPart('/api/dashboard/tenants/activity?unit=hour'),
    ...tenancyErasureAsks,
  };
}
