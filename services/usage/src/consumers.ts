import { summaryMade, trialEnded, turnCompleted } from '@botyard/contracts/events/agents';
import { tenantDeleted } from '@botyard/contracts/events/tenancy';
import {
  findAllowance,
  findTurnCosts,
  listQuotasLeft,
  reserveQuota,
  setAllowance,
  sumBotDays,
  sumChatCosts,
  sumRunCosts,
  sumUsed,
} from '@botyard/contracts/events/usage';
import { on, onGathered, type Subscription } from '@botyard/shared/bus/consumer';
import { ofLivingTenants } from '@botyard/shared/bus/living-tenants';
import { answer } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { onSummaryMade } from './consumers/on-summary-made.ts';
import { onTenantDeleted } from './consumers/on-tenant-deleted.ts';
import { onTrialEnded } from './consumers/on-trial-ended.ts';
import { onTurnCompleted } from './consumers/on-turn-completed.ts';
import type { Deps } from './deps.ts';
import { quotasLeft, usedOverTime } from './domain/activity.ts';
import { readAllowance, setAllowance as saveAllowance } from './domain/allowance.ts';
import { reserve } from './domain/reserve.ts';
import { listTokensOfDays } from './store/counters.ts';
import { listCosts, sumCostOfChats, sumCostOfRuns } from './store/log-entries.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(tenantDeleted, onTenantDeleted),
  ...ofLivingTenants('usage', [
    onGathered(turnCompleted, onTurnCompleted),
    onGathered(summaryMade, onSummaryMade),
    onGathered(trialEnded, onTrialEnded),
  ]),
];

export function answerRequests(deps: Deps): void {
  const { bus, database } = deps;
  answer(bus, reserveQuota, (wanted) => reserve(deps, wanted));
  answer(bus, findAllowance, ({ tenantId }) => readAllowance(deps, tenantId));
  answer(bus, setAllowance, ({ tenantId, ...change }) => saveAllowance(deps, tenantId, change));
  answer(bus, findTurnCosts, async ({ tenantId, turnIds }) => ({
    costs: await withTenant(database, [tenantId], (tx) => listCosts(tx, tenantId, turnIds)),
  }));
  answer(bus, sumUsed, (request) => usedOverTime(database, request));
  answer(bus, listQuotasLeft, (request) => quotasLeft(deps, request));
  answer(bus, sumChatCosts, async ({ tenantId, ...wanted }) => ({
    costMicroUsd: await withTenant(database, [tenantId], (tx) => sumCostOfChats(tx, tenantId, wanted)),
  }));
  answer(bus, sumRunCosts, async ({ tenantId, runIds }) => ({
    runs: await withTenant(database, [tenantId], (tx) => sumCostOfRuns(tx, tenantId, runIds)),
  }));
  answer(bus, sumBotDays, async (wanted) => ({
    days: await withTenant(database, [wanted.tenantId], (tx) => listTokensOfDays(tx, wanted)),
  }));
}
