import type { ListKeysQuery } from '@botyard/contracts/http/keys';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, ilike, sql } from '@botyard/shared/db/drizzle';
import { moment, number, orNull } from '@botyard/shared/db/expressions';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { byMoment, byText, containing, sorted } from '@botyard/shared/db/sorting';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { keys } from './schema.ts';

export type KeyRow = typeof keys.$inferSelect;
type NewKey = Pick<
  KeyRow,
  'tenantId' | 'keyId' | 'provider' | 'keyType' | 'scopeType' | 'scopeId' | 'host' | 'maskedKey' | 'sealedKey'
>;

export type KeyId = Pick<KeyRow, 'tenantId' | 'keyId'>;

const stored = rowsOf(keys, 'tenantId', 'keyId');
const { matches } = stored;
/** `lockKey` waits for other changes of the key. `deleteKey` returns whether it existed. */
export const { lock: lockKey, remove: deleteKey } = stored;

/** Other transactions that lock a tenant's keys wait until this one ends, so that their number stays correct. */
export const lockKeysOf = (tx: TenantTx, tenantId: string): Promise<void> =>
  lockNamed(tx, `keys of ${tenantId}`);

export const countKeys = (tx: TenantTx, tenantId: string): Promise<number> => stored.count(tx, { tenantId });

export async function insertKey(tx: TenantTx, key: NewKey): Promise<KeyRow> {
  const [row] = await tx.db.insert(keys).values(key).returning();
  return row!;
}

const sortColumns = { createdAt: null, updatedAt: byMoment(keys.updatedAt), provider: byText(keys.provider) };

/** One more than the page's limit. */
export async function listKeys(tx: TenantTx, tenantId: string, query: ListKeysQuery): Promise<KeyRow[]> {
  const { q, provider, status, scopeType, scopeId } = query;
  const { after, order } = sorted(query, sortColumns, keys.keyId);
  return await tx.db
    .select()
    .from(keys)
    .where(
      and(
        eq(keys.tenantId, tenantId),
        q ? ilike(keys.maskedKey, containing(q)) : undefined,
        provider ? eq(keys.provider, provider) : undefined,
        status ? eq(keys.status, status) : undefined,
        scopeType ? eq(keys.scopeType, scopeType) : undefined,
        scopeId ? eq(keys.scopeId, scopeId) : undefined,
        after,
      ),
    )
    .orderBy(...order)
    .limit(query.limit + 1);
}

export async function saveInvalid(tx: TenantTx, key: KeyId, by: 'person' | 'provider'): Promise<KeyRow> {
  const row = await stored.update(tx, key, {
    status: 'invalid',
    invalidatedBy: by,
    invalidatedAt: sql`coalesce(${keys.invalidatedAt}, clock_timestamp())`,
    updatedAt: sql`now()`,
  });
  return row!;
}

export async function markActive(tx: TenantTx, key: KeyId): Promise<void> {
  await tx.db
    .update(keys)
    .set({ status: 'active', invalidatedBy: null, invalidatedAt: null, updatedAt: sql`now()` })
    .where(matches(key));
}

/**
 * Saves until when a key is paused, and for which models: the later of two reports counts, and an expired one has no
 * effect.
 */
export async function coolDown(
  tx: TenantTx,
  key: KeyId,
  rest: { until: Date; models: KeyRow['coolModels']; longestMs: number },
): Promise<void> {
  const until = sql`least(${rest.until.toISOString()}::timestamptz, now() + make_interval(secs => ${rest.longestMs / 1000}))`;
  await tx.db
    .update(keys)
    .set({ coolUntil: sql`greatest(${keys.coolUntil}, ${until})`, coolModels: rest.models })
    .where(and(matches(key), sql`${until} > now()`));
}

export interface KeyToValidate extends KeyRow {
  /** By the database's clock. */
  readAt: Date;
  isValidatedJustNow: boolean;
}

/** How long a result is reused without calling the provider again. */
const rememberedSeconds = 5;

export async function getKeyToValidate(tx: TenantTx, key: KeyId): Promise<KeyToValidate | undefined> {
  const [row] = await tx.db
    .select({
      key: keys,
      readAt: sql<string>`date_trunc('milliseconds', now())`,
      isValidatedJustNow: sql<boolean>`coalesce(${keys.validatedAt} > now() - make_interval(secs => ${rememberedSeconds}), false)`,
    })
    .from(keys)
    .where(matches(key));
  return row && { ...row.key, readAt: new Date(row.readAt), isValidatedJustNow: row.isValidatedJustNow };
}

/**
 * `confirmedAt`: the time since when the provider is known to accept the key; `null` when this result doesn't show it.
 */
export async function saveValidation(
  tx: TenantTx,
  key: KeyId,
  validation: { outcome: NonNullable<KeyRow['validationOutcome']>; confirmedAt: Date | null },
): Promise<KeyRow> {
  const { outcome, confirmedAt } = validation;
  const row = await stored.update(tx, key, {
    validationOutcome: outcome,
    validatedAt: sql`clock_timestamp()`,
    ...(confirmedAt ? { confirmedAt } : {}),
  });
  return row!;
}

/** All keys of the tenant, of which there are at most a thousand. */
export const listKeysOf = (tx: TenantTx, tenantId: string): Promise<KeyRow[]> =>
  tx.db.select().from(keys).where(eq(keys.tenantId, tenantId));

export async function deleteKeysOfTenant(tx: TenantTx, tenantId: string): Promise<void> {
  await tx.db.delete(keys).where(eq(keys.tenantId, tenantId));
}

const candidate = columns({
  ...pick(keys, 'tenantId', 'keyId', 'provider', 'scopeType', 'status', 'invalidatedBy', 'host', 'sealedKey'),
  /** `null` unless the key is currently paused for the given model, or for any model if none is given. */
  restsUntil: orNull(
    moment(`case when cool_until > now() and (cool_models is null or $5::text is null) then cool_until
      when cool_until > now() and (cool_models ->> $5)::timestamptz > now() then (cool_models ->> $5)::timestamptz end`),
  ),
  /** By the database's clock. */
  readAt: moment('now()'),
});
/** The fields that determine the choice of a key. */
export type CandidateRow = RowOf<typeof candidate>;
const candidatesText = typedSql`
  select ${candidate} from keys.keys
  where tenant_id = $1 and provider = $2
    and (scope_type = 'tenant' or (scope_type = 'bot' and scope_id = $3) or (scope_type = 'agent' and scope_id = $4))
  order by array_position(array['agent', 'bot', 'tenant'], scope_type), key_id desc`;

/** The matching keys, in any status: agent before bot before tenant, newest first. */
export const listCandidates = preparedStatement({
  name: 'keys.candidates',
  text: candidatesText,
  values: (
    wanted: { tenantId: string; provider: string } & {
      [name in 'botId' | 'agentId' | 'model']?: string | undefined;
    },
  ) => [wanted.tenantId, wanted.provider, wanted.botId ?? null, wanted.agentId ?? null, wanted.model ?? null],
});

const countsOfTenant = columns({
  tenantId: keys.tenantId,
  active: number(`count(*) filter (where status = 'active')`),
  invalid: number(`count(*) filter (where status = 'invalid')`),
  resting: number(`count(*) filter (where status = 'active' and cool_until > now())`),
});

/** Keys of each tenant by whether they work. */
export const countKeysOf = preparedStatement({
  name: 'keys.keys.count',
  text: typedSql`select ${countsOfTenant}
         from keys.keys where tenant_id = any ($1::uuid[]) group by 1`,
  values: (tenantIds: readonly string[]) => [tenantIds],
});
