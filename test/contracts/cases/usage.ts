import { turnCompleted } from '@botyard/contracts/events/agents';
import { firstSample } from '@botyard/testing/samples';
import { expect } from 'vitest';
import type { Step, Tables } from '../support/tables.ts';
import type { World } from '../support/world.ts';
import { readAs, remoteCallers } from './remote-callers.ts';

const initializeQuota =
  (limits: object): Step =>
  async (lone, world) =>
    await lone.make(world, 'POST', `/api/usage/${world.tenantId}/quota/initialize`, { limits });

/** A turn of the world is counted. */
const countTurn =
  (completedAt = new Date().toISOString()): Step =>
  async (lone, world) => {
    const turn = { ...world.said(firstSample(turnCompleted)), completedAt };
    expect(await lone.fateOf(await lone.publish(turnCompleted, turn))).toBe('taken');
  };
/** When the samples ask for it. */
const then = '2026-11-20T18:40:01.000Z';

const isCounted: Step<boolean> = async (lone, world) => {
  const rows = await lone.rows('select from usage.log_entries where tenant_id = $1', [world.tenantId]);
  return rows.length === 1;
};

const path = ({ tenantId }: World) => `/api/usage/${tenantId}`;
const storagePath = (world: World) => `${path(world)}/storage`;
const callers = remoteCallers({ path, ofMember: 403, remembered: readAs('admin', path) });

export const usageTables: Tables = {
  ...callers,
  asks: {
    ...callers.asks,
    'webhooks.storage.limit.v1': { provoke: readAs('admin', storagePath) },
    'agents.storage.limit.v1': { provoke: readAs('admin', storagePath) },
  },
  answers: {
    'usage.quota.reserve.v1': async (lone, world) => {
      await initializeQuota({ messages: 10 })(lone, world);
      return (answer) => {
        const reservationId = world.id('turnId');
        expect(answer).toEqual({ hasQuota: true, granted: true, reservationId, exceeded: [] });
      };
    },
    'usage.allowance.find.v1': async () => (answer) =>
      expect(answer).toMatchObject({ monthlyTokens: null, defaultMonthlyTokens: 1_000_000 }),
    'usage.allowance.set.v1': async () => (answer) =>
      expect(answer).toMatchObject({ monthlyTokens: 5000, privateLlmMonthlyTokens: 0 }),
    'usage.turn.cost.v1': async (lone, world) => {
      await countTurn()(lone, world);
      return (answer) => expect(answer.costs).toMatchObject([{ turnId: world.id('turnId') }]);
    },
    'usage.bot.sum.v1': async (lone, world) => {
      await countTurn(then)(lone, world);
      return (answer) =>
        expect(answer.days).toEqual([{ day: '2026-11-20', inputTokens: 12, outputTokens: 34 }]);
    },
    'usage.activity.sum.v1': async (lone, world) => {
      await countTurn(then)(lone, world);
      const at = '2026-11-20T00:00:00.000Z';
      return ({ series }) => expect(series).toMatchObject([{ at, inputTokens: 12, outputTokens: 34 }]);
    },
    'usage.quota.left.v1': async (lone, world) => {
      await initializeQuota({ messages: 10 })(lone, world);
      const { tenantId } = world;
      return ({ tenants }) =>
        expect(tenants).toMatchObject([{ tenantId, limits: { messages: 10 }, remaining: { messages: 10 } }]);
    },
  },
  consumes: {
    'tenancy.tenant.deleted.v1': {
      arrange: initializeQuota({ messages: 10 }),
      effect: async (lone, world) => {
        const rows = await lone.rows('select from usage.quotas where tenant_id = $1', [world.tenantId]);
        return rows.length === 0;
      },
    },
    'agents.turn.completed.v1': { effect: isCounted },
    'agents.summary.made.v1': { effect: isCounted },
    'agents.trial.ended.v1': { effect: isCounted },
  },
  publishes: {
    'usage.quota.changed.v1': initializeQuota({ messages: 10 }),
    'usage.quota.warned.v1': async (lone, world) => {
      await initializeQuota({ messages: 1 })(lone, world);
      await countTurn()(lone, world);
    },
  },
  signals: {},
  listens: {},
};
