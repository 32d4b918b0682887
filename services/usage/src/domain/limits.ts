import { type LimitName, limitNames } from '@botyard/contracts/http/usage';
import type { QuotaRow } from '../store/quotas.ts';

/** Amounts that count against limits; an unknown cost counts 0. */
type Amounts = { [Name in LimitName]: number | null };

/** A limit is reached once use equals it: the next message would exceed it. */
export function reachedLimits(quota: QuotaRow, ...amounts: readonly Amounts[]): LimitName[] {
  return limitNames.filter((name) => {
    const most = quota[name];
    return most !== null && sumOf(name, amounts) >= BigInt(most);
  });
}

/** The remainder of each limit, at least 0. */
export function remainingOf(
  quota: QuotaRow,
  ...amounts: readonly Amounts[]
): Partial<Record<LimitName, number>> {
  const entries = limitNames.flatMap((name) => {
    const most = quota[name];
    if (most === null) return [];
    return [[name, Math.max(0, Number(BigInt(most) - sumOf(name, amounts)))]];
  });
  return Object.fromEntries(entries);
}

/** The limits that are set. */
export function limitsOf(quota: QuotaRow): Partial<Record<LimitName, number>> {
  return Object.fromEntries(
    limitNames.flatMap((name) => (quota[name] === null ? [] : [[name, quota[name]]])),
  );
}

const warningLevels = [80, 100] as const;

/** Every level, in percent, that the use of a limit has reached. */
export function reachedLevels(
  quota: QuotaRow,
  used: Amounts,
): { limit: LimitName; level: (typeof warningLevels)[number]; used: number; most: number }[] {
  return limitNames.flatMap((limit) => {
    const most = quota[limit];
    if (most === null) return [];
    const amount = used[limit] ?? 0;
    return warningLevels
      .filter((level) => BigInt(amount) * 100n >= BigInt(most) * BigInt(level))
      .map((level) => ({ limit, level, used: amount, most }));
  });
}

const sumOf = (name: LimitName, amounts: readonly Amounts[]): bigint =>
  amounts.reduce((sum, amount) => sum + BigInt(amount[name] ?? 0), 0n);
