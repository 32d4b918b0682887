import { quotaChanged } from '@botyard/contracts/events/usage';
import type { Allowance, AllowanceChange, PlatformKeyUse } from '@botyard/contracts/http/allowance';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { type Provider, publicProviderNames } from '@botyard/contracts/providers';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import {
  type AllowanceKind,
  type AllowanceRow,
  getAllowance,
  saveAllowance,
  sumAllowanceReserved,
  sumAllowanceUse,
} from '../store/allowances.ts';
import { monthOf } from './period.ts';

type Settings = Pick<Deps, 'allowances' | 'now'>;

const providersOf: Readonly<Record<AllowanceKind, Provider[]>> = {
  public: publicProviderNames,
  private: ['private-llm'],
};
const kinds = ['public', 'private'] as const satisfies AllowanceKind[];

/**
 * A tenant's limit: the operator's limit for it, or else the setting; `null` is unlimited, as for the operators' own
 * bots.
 */
function limitOf(
  { allowances }: Pick<Deps, 'allowances'>,
  { tenantId, row }: Known,
  kind: AllowanceKind,
): number | null {
  const own = kind === 'public' ? row?.publicTokens : row?.privateTokens;
  return own ?? (tenantId === platformTenantId ? null : allowances[kind]);
}

export async function allowanceLimit(
  deps: Settings,
  tx: TenantTx,
  { tenantId, kind }: { tenantId: string; kind: AllowanceKind },
): Promise<number | null> {
  return limitOf(deps, { tenantId, row: await getAllowance(tx, tenantId) }, kind);
}

/** The part of an allowance that is used in this month, and the part reserved for current calls. */
export interface Spent {
  used: number;
  reserved: number;
}

export async function spentOf(
  { now }: Pick<Deps, 'now'>,
  tx: TenantTx,
  { tenantId, kind }: { tenantId: string; kind: AllowanceKind },
): Promise<Spent> {
  const [used, reserved] = await Promise.all([
    sumAllowanceUse(tx, { tenantId, kind, start: monthOf(now()).start }),
    sumAllowanceReserved(tx, { tenantId, kind }),
  ]);
  return { used, reserved };
}

/**
 * Whether another call may use the platform's key: allowed while used and reserved tokens together are below the limit,
 * so that only the last granted call can exceed it. Reserved tokens may become free again; used ones count until the
 * end of the month.
 */
export function verdictOf(
  { used, reserved }: Spent,
  limit: number | null,
): 'granted' | 'used_up' | 'reserved_by_others' {
  if (limit === null || used + reserved < limit) return 'granted';
  return used >= limit ? 'used_up' : 'reserved_by_others';
}

/** A tenant's allowance on the platform's keys in this month, and its remainder. */
export async function platformKeyUse(
  deps: Settings,
  tx: TenantTx,
  tenantId: string,
): Promise<PlatformKeyUse[]> {
  return describe(deps, tx, { tenantId, row: await getAllowance(tx, tenantId) });
}

/** A tenant's allowance as operators see it. */
export async function readAllowance(deps: Deps, tenantId: string): Promise<Allowance> {
  return await withTenant(deps.database, [tenantId], async (tx) =>
    toAllowance(deps, tx, { tenantId, row: await getAllowance(tx, tenantId) }),
  );
}

/** Sets the given limits; `null` restores the setting. They apply from the next model call on. */
export async function setAllowance(
  deps: Deps,
  tenantId: string,
  change: AllowanceChange,
): Promise<Allowance> {
  const { monthlyTokens, privateLlmMonthlyTokens } = change;
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const row = await saveAllowance(tx, tenantId, {
      ...(monthlyTokens === undefined ? {} : { publicTokens: monthlyTokens }),
      ...(privateLlmMonthlyTokens === undefined ? {} : { privateTokens: privateLlmMonthlyTokens }),
    });
    await deps.outbox.emit(tx, quotaChanged, { tenantId });
    return await toAllowance(deps, tx, { tenantId, row });
  });
}

interface Known {
  tenantId: string;
  row: AllowanceRow | undefined;
}

async function toAllowance(deps: Settings, tx: TenantTx, allowance: Known): Promise<Allowance> {
  const { tenantId, row } = allowance;
  return {
    tenantId,
    monthlyTokens: row?.publicTokens ?? null,
    defaultMonthlyTokens: deps.allowances.public,
    privateLlmMonthlyTokens: row?.privateTokens ?? null,
    defaultPrivateLlmMonthlyTokens: deps.allowances.private,
    platformKeys: await describe(deps, tx, allowance),
  };
}

async function describe(deps: Settings, tx: TenantTx, allowance: Known): Promise<PlatformKeyUse[]> {
  const { tenantId } = allowance;
  const month = monthOf(deps.now());
  return await Promise.all(
    kinds.map(async (kind) => {
      const { used, reserved } = await spentOf(deps, tx, { tenantId, kind });
      const monthlyTokens = limitOf(deps, allowance, kind);
      return {
        providers: providersOf[kind],
        monthlyTokens,
        usedTokens: used,
        reservedTokens: reserved,
        remainingTokens: monthlyTokens === null ? null : Math.max(0, monthlyTokens - used - reserved),
        isUsedUp: monthlyTokens !== null && used >= monthlyTokens,
        periodStart: month.start.toISOString(),
        periodEnd: month.end.toISOString(),
      };
    }),
  );
}
