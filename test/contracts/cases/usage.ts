import { trialEnded, turnCompleted } from '@botyard/contracts/events/agents';
import { firstSample, samplesOf } from '@botyard/testing/samples';
import { expect } from 'vitest';
import type { Step, Tables } from '../support/tables.ts';
import type { TestTenant } from '../support/test-tenant.ts';
import { readAs, remoteCallers } from './remote-callers.ts';

const initializeQuota =
  (limits: object): Step =>
  async (sut, tenant) =>
    await sut.make(tenant, 'POST', `/api/usage/${tenant.tenantId}/quota/initialize`, { limits });

/** A turn of the tenant is counted. */
const countTurn =
  (completedAt = new Date().toISOString()): Step =>
  async (sut, tenant) => {
    const turn = { ...tenant.withOwnIds(firstSample(turnCompleted)), completedAt };
    expect(await sut.outcomeOf(await sut.publish(turnCompleted, turn))).toBe('taken');
  };
/** When the samples ask for it. */
const then = '2026-11-20T18:40:01.000Z';

const isCounted: Step<boolean> = async (sut, tenant) => {
  const rows = await sut.rows('select from usage.log_entries where tenant_id = $1', [tenant.tenantId]);
  return rows.length === 1;
};

const path = ({ tenantId }: TestTenant) => `/api/usage/${tenantId}`;
const storagePath = (tenant: TestTenant) => `${path(tenant)}/storage`;
const callers = remoteCallers({ path, ofMember: 403, remembered: readAs('admin', path) });

export const usageTables: Tables = {
  ...callers,
  asks: {
    ...callers.asks,
    'webhooks.storage.limit.v1': { provoke: readAs('admin', storagePath) },
    'agents.storage.limit.v1': { provoke: readAs('admin', storagePath) },
  },
  answers: {
    'usage.quota.reserve.v1': async (sut, tenant) => {
      await initializeQuota({ messages: 10 })(sut, tenant);
      return (answer) => {
        const reservationId = tenant.id('turnId');
        expect(answer).toEqual({ hasQuota: true, granted: true, reservationId, exceeded: [] });
      };
    },
    'usage.allowance.find.v1': async () => (answer) =>
      expect(answer).toMatchObject({ monthlyTokens: null, defaultMonthlyTokens: 1_000_000 }),
    'usage.allowance.set.v1': async () => (answer) =>
      expect(answer).toMatchObject({ monthlyTokens: 5000, privateLlmMonthlyTokens: 0 }),
    'usage.turn.cost.v1': async (sut, tenant) => {
      await countTurn()(sut, tenant);
      return (answer) => expect(answer.costs).toMatchObject([{ turnId: tenant.id('turnId') }]);
    },
    'usage.chat.sum.v1': async (sut, tenant) => {
      await countTurn(then)(sut, tenant);
      return (answer) => expect(answer).toEqual({ costMicroUsd: expect.any(Number) });
    },
    'usage.run.sum.v1': async (sut, tenant) => {
      const ofRun = samplesOf(trialEnded).find(({ title }) => title === 'of-a-run')!;
      const judged = tenant.withOwnIds(ofRun.payload);
      expect(await sut.outcomeOf(await sut.publish(trialEnded, judged))).toBe('taken');
      return (answer) => expect(answer.runs).toMatchObject([{ runId: tenant.id('runId') }]);
    },
    'usage.bot.sum.v1': async (sut, tenant) => {
      await countTurn(then)(sut, tenant);
      return (answer) =>
        expect(answer.days).toEqual([{ day: '2026-11-20', inputTokens: 12, outputTokens: 34 }]);
    },
    'usage.activity.sum.v1': async (sut, tenant) => {
      await countTurn(then)(sut, tenant);
      const at = '2026-11-20T00:00:00.000Z';
      return ({ series }) => expect(series).toMatchObject([{ at, inputTokens: 12, outputTokens: 34 }]);
    },
    'usage.quota.left.v1': async (sut, tenant) => {
      await initializeQuota({ messages: 10 })(sut, tenant);
      const { tenantId } = tenant;
      return ({ tenants }) =>
        expect(tenants).toMatchObject([{ tenantId, limits: { messages: 10 }, remaining: { messages: 10 } }]);
    },
  },
  consumes: {
    'tenancy.tenant.deleted.v1': {
      arrange: initializeQuota({ messages: 10 }),
      effect: async (sut, tenant) => {
        const rows = await sut.rows('select from usage.quotas where tenant_id = $1', [tenant.tenantId]);
        return rows.length === 0;
      },
    },
    'agents.turn.completed.v1': { effect: isCounted },
    'agents.summary.made.v1': { effect: isCounted },
    'agents.trial.ended.v1': { effect: isCounted },
  },
  publishes: {
    'usage.quota.changed.v1': initializeQuota({ messages: 10 }),
    'usage.quota.warned.v1': async (sut, tenant) => {
      await initializeQuota({ messages: 1 })(sut, tenant);
      await countTurn()(sut, tenant);
    },
  },
  signals: {},
  listens: {},
};
