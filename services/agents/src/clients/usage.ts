import {
  findTurnCosts,
  quotaChanged,
  reserveQuota,
  sumChatCosts,
  sumRunCosts,
} from '@botyard/contracts/events/usage';
import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { Remembered } from '@botyard/shared/bus/remembered';
import { ask } from '@botyard/shared/bus/requests';
import type { z } from 'zod';

export type QuotaQuestion = z.input<typeof reserveQuota.request>;
type QuotaAnswer = z.output<typeof reserveQuota.response>;
export type PricedChats = z.input<typeof sumChatCosts.request>;
type RunCost = z.output<typeof sumRunCosts.response>['runs'][number];
type TurnCost = z.output<typeof findTurnCosts.response>['costs'][number];

export interface UsageClient {
  /** Reserves the most that a model call may use. @throws HttpError 503 when the usage service doesn't answer. */
  reserve(question: QuotaQuestion): Promise<QuotaAnswer>;
  /** The costs of the counted turns. @throws HttpError 503 as `reserve`. */
  costsOf(tenantId: string, turnIds: string[]): Promise<TurnCost[]>;
  /** The cost of each of these runs of tests, as far as it is counted. @throws HttpError 503 as `reserve`. */
  costsOfRuns(tenantId: string, runIds: string[]): Promise<RunCost[]>;
  /** The cost of chats in micro-USD. @throws HttpError 503 as `reserve`. */
  costOfChats(chats: PricedChats): Promise<number>;
}

/** The scope of a limit: all calls on the tenant's own keys share one; the platform's keys have one per provider. */
const boundOf = ({ keyOwner, provider }: Pick<QuotaQuestion, 'keyOwner' | 'provider'>): string =>
  keyOwner === 'platform' ? provider : 'own';
const unlimited: QuotaAnswer = { hasQuota: false, granted: true, reservationId: null, exceeded: [] };

/** Caches that a tenant's calls on its own keys, or on the platform's key for a provider, are unlimited. */
export function createUsageClient(bus: Bus): UsageClient {
  const unbounded = new Remembered<true>(bus);
  watch(bus, quotaChanged, unbounded);
  return {
    reserve: async (question) => {
      const { tenantId } = question;
      const bound = boundOf(question);
      if (unbounded.get(tenantId, bound)) return unlimited;
      const remember = unbounded.asking(tenantId, bound);
      const answer = await ask(bus, reserveQuota, question);
      const isUnbounded = !answer.hasQuota && (answer.platformKey ?? 'unlimited') === 'unlimited';
      if (isUnbounded) remember(true);
      return answer;
    },
    costOfChats: async (chats) => (await ask(bus, sumChatCosts, chats)).costMicroUsd,
    costsOfRuns: async (tenantId, runIds) => (await ask(bus, sumRunCosts, { tenantId, runIds })).runs,
    costsOf: async (tenantId, turnIds) => (await ask(bus, findTurnCosts, { tenantId, turnIds })).costs,
  };
}
