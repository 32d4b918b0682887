import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';
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
const unlimited: QuotaAnswer = { hasQuota: false, granted: true, reservationId: null, exceeded: [] };

/** That a tenant has no quota is remembered for 30 s, and dropped at once when it gets one. */
export function createUsageClient(bus: Bus): UsageClient {
  const withoutQuota = new LRUCache<string, true>({ max: 10_000, ttl: rememberedMs });
  // An answer that was under way when a change was announced may be from before it: such a one isn't remembered.
  let changes = 0;
  watch(bus, quotaChanged, {
    onEvent: ({ tenantId }) => {
      changes += 1;
      withoutQuota.delete(tenantId);
    },
    onGap: () => {
      changes += 1;
      withoutQuota.clear();
    },
  });
  return {
    reserve: async (question) => {
      if (withoutQuota.has(question.tenantId)) return unlimited;
      const changesBefore = changes;
      const answer = await ask(bus, reserveQuota, question);
      if (!answer.hasQuota && changes === changesBefore) withoutQuota.set(question.tenantId, true);
      return answer;
    },
    costsOf: async (tenantId, turnIds) => (await ask(bus, findTurnCosts, { tenantId, turnIds })).costs,
  };
}
