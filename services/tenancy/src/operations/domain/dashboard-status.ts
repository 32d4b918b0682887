import { countHeldWork } from '@botyard/contracts/events/agents-requests';
import { countKeys } from '@botyard/contracts/events/keys';
import { listQuotasLeft } from '@botyard/contracts/events/usage';
import { sumSendingOfTenants } from '@botyard/contracts/events/webhook-requests';
import type { DashboardPart, DashboardStatus } from '@botyard/contracts/http/dashboard';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { noSending } from '../../platforms/domain/platform-stats.ts';
import { countInTenants, type TenantFigures } from '../../system/store/tenant-figures.ts';
import type { Deps } from '../deps.ts';

const nothingHeld = { conversationsWaiting: 0, messagesWaiting: 0, oldestWaitingAt: null, deadLetters: 0 };
const noKeys = { active: 0, invalid: 0, resting: 0 };
const longMs = 5 * 60_000;

/** The status of each of these tenants, in their order. The part of a service that doesn't answer is left out. */
export async function statusOf(
  { bus, database }: Pick<Deps, 'bus' | 'database'>,
  tenants: readonly { tenantId: string; name: string }[],
): Promise<DashboardStatus[]> {
  if (tenants.length === 0) return [];
  const tenantIds = tenants.map(({ tenantId }) => tenantId);
  const [figures, work, sending, keys, quotas] = await Promise.all([
    withTenant(database, tenantIds, (tx) => countInTenants(tx, tenantIds)),
    orNull(ask(bus, countHeldWork, { tenantIds })),
    orNull(ask(bus, sumSendingOfTenants, { tenantIds })),
    orNull(ask(bus, countKeys, { tenantIds })),
    orNull(ask(bus, listQuotasLeft, { tenantIds })),
  ]);
  const parts = { agents: work, webhooks: sending, keys, usage: quotas };
  const unavailable = (Object.keys(parts) as DashboardPart[]).filter((name) => parts[name] === null);
  const checkedAt = new Date().toISOString();
  return tenants.map(({ tenantId, name }) => {
    const of = <Row extends { tenantId: string }>(rows: readonly Row[] | undefined) =>
      rows?.find((row) => row.tenantId === tenantId);
    const status = {
      tenantId,
      name,
      ...toCounts(of(figures)),
      work: work && (of(work.tenants) ?? nothingHeld),
      sending: sending && (of(sending.tenants) ?? noSending),
      keys: keys && (of(keys.tenants) ?? noKeys),
      quota: of(quotas?.tenants) ?? null,
    };
    return { ...status, problems: problemsOf(status), unavailable, checkedAt };
  });
}

const toCounts = (row: TenantFigures | undefined) => ({
  bots: { all: row?.bots ?? 0, enabled: row?.botsEnabled ?? 0 },
  integrations: {
    all: row?.integrations ?? 0,
    enabled: row?.integrationsEnabled ?? 0,
    pending: row?.pending ?? 0,
    registered: row?.registered ?? 0,
    failed: row?.failed ?? 0,
  },
  adminsKeptAfterLeaving: (row?.keptAdmins ?? []).map(({ userId, keptSince }) => ({
    userId,
    keptSince: new Date(keptSince).toISOString(),
  })),
});

function problemsOf({
  integrations,
  adminsKeptAfterLeaving,
  work,
  sending,
  keys,
  quota,
}: Pick<
  DashboardStatus,
  'integrations' | 'adminsKeptAfterLeaving' | 'work' | 'sending' | 'keys' | 'quota'
>): DashboardStatus['problems'] {
  const isHeldLong = work?.oldestWaitingAt && Date.now() - Date.parse(work.oldestWaitingAt) > longMs;
  const problems: DashboardStatus['problems'] = [
    { kind: 'registrationsFailed', count: integrations.failed },
    { kind: 'deadLetters', count: work?.deadLetters ?? 0 },
    { kind: 'repliesFailed', count: sending?.repliesFailed ?? 0 },
    { kind: 'keysInvalid', count: keys?.invalid ?? 0 },
    { kind: 'quotaExceeded', count: quota?.exceeded.length ?? 0 },
    { kind: 'adminsKeptAfterLeaving', count: adminsKeptAfterLeaving.length },
    { kind: 'workHeld', count: isHeldLong ? work.messagesWaiting : 0 },
  ];
  return problems.filter(({ count }) => count > 0);
}

/** Resolves with `null` when the requested service is down or too slow. Any other failure is thrown. */
export async function orNull<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof HttpError && error.status >= 500) return null;
    throw error;
  }
}
