import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';
import { Provider } from '@botyard/shared/contracts/keys';
import { findTurnCosts, quotaChanged, reserveQuota } from '@botyard/shared/events/usage';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';

export type QuotaQuestion = z.input<typeof reserveQuota.request>;
export type QuotaAnswer = z.output<typeof reserveQuota.response>;
export type TurnCost = z.output<typeof findTurnCosts.response>['costs'][number];

export interface UsageClient {
  /** Sets aside what a model call may use. @throws HttpError 503 when the usage service doesn't answer. */
  reserve(question: QuotaQuestion): Promise<QuotaAnswer>;
  /** What turns cost, those that are counted. @throws HttpError 503 as `reserve`. */
  costsOf(tenantId: string, turnIds: string[]): Promise<TurnCost[]>;
}

const rememberedMs = 30_000;
/** Calls on the tenant's own keys are alike; of the platform's keys each provider has its own bound. */
const kinds = ['own', ...Provider.options];
const unlimited: QuotaAnswer = { hasQuota: false, granted: true, reservationId: null, exceeded: [] };

/**
 * That nothing bounds a tenant's calls on its own keys, or on the platform's key for a provider, is remembered for 30 s, and
 * dropped at once when that changes.
 */
export function createUsageClient(bus: Bus): UsageClient {
  const unbounded = new LRUCache<string, true>({ max: 10_000, ttl: rememberedMs });
  // An answer that was under way when a change was announced may be from before it: such a one isn't remembered.
  let changes = 0;
  watch(bus, quotaChanged, {
    onEvent: ({ tenantId }) => {
      changes += 1;
      for (const kind of kinds) unbounded.delete(`${tenantId} ${kind}`);
    },
    onGap: () => {
      changes += 1;
      unbounded.clear();
    },
  });
  return {
    reserve: async (question) => {
      const { tenantId, provider, keyOwner } = question;
      const name = `${tenantId} ${keyOwner === 'platform' ? provider : 'own'}`;
      if (unbounded.has(name)) return unlimited;
      const changesBefore = changes;
      const answer = await ask(bus, reserveQuota, question);
      const isUnbounded = !answer.hasQuota && (answer.platformKey ?? 'unlimited') === 'unlimited';
      if (isUnbounded && changes === changesBefore) unbounded.set(name, true);
      return answer;
    },
    costsOf: async (tenantId, turnIds) => (await ask(bus, findTurnCosts, { tenantId, turnIds })).costs,
  };
}
