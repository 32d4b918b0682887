import type { ModelAdjustments } from '@botyard/contracts/http/adjustments';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, inArray, or, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { modelAdjustments } from '../../store/adjustments-schema.ts';

export type ModelAdjustmentsRow = typeof modelAdjustments.$inferSelect;
type ModelKey = Pick<ModelAdjustmentsRow, 'tenantId' | 'address' | 'model'>;

const { learnedAt } = modelAdjustments;
const saveText = typedSql`insert into agents.model_adjustments as a (tenant_id, address, model, adjustments, learned_at)
  values ($tenantId, $address, $model, $adjustments, now())
  on conflict (tenant_id, address, model)
  do update set adjustments = excluded.adjustments, learned_at = excluded.learned_at
  returning ${columns({ learnedAt })}`;

/** Returns the time of the change by the database's clock. */
export const saveAdjustments = preparedStatement({
  name: 'agents.models.learned',
  text: saveText,
  values: ({ tenantId, address, model }: ModelKey, adjustments: ModelAdjustments) => ({
    tenantId,
    address,
    model,
    adjustments: JSON.stringify(adjustments),
  }),
  result: ([row]) => row?.learnedAt ?? undefined,
});

export const saveRefusal = preparedStatement({
  name: 'agents.models.refused',
  text: `insert into agents.model_adjustments as a (tenant_id, address, model, refusal, refused_at)
         values ($tenantId, $address, $model, $refusal, now())
         on conflict (tenant_id, address, model)
         do update set refusal = excluded.refusal, refused_at = excluded.refused_at`,
  values: ({ tenantId, address, model }: ModelKey, refusal: string) => ({
    tenantId,
    address,
    model,
    refusal,
  }),
});

/** Forgets what a tenant's models taught more than a day ago. */
export async function deleteExpired(tx: TenantTx | PlatformTx): Promise<void> {
  await tx.query({
    name: 'agents.models.expired',
    text: `delete from agents.model_adjustments
           where greatest(learned_at, refused_at) < now() - interval '24 hours'`,
    values: [],
  });
}

/** Lists what was learned within the last day, newest first. */
export async function listLearned(tx: PlatformTx, limit: number): Promise<ModelAdjustmentsRow[]> {
  return await tx.db
    .select()
    .from(modelAdjustments)
    .where(sql`${learnedAt} > now() - interval '24 hours'`)
    .orderBy(desc(learnedAt))
    .limit(limit);
}

/** Lists what was learned about a model at these places within the last day. */
export async function listLearnedAt(
  tx: TenantTx,
  places: readonly ModelKey[],
): Promise<ModelAdjustmentsRow[]> {
  const { tenantId, address, model } = modelAdjustments;
  if (places.length === 0) return [];
  const isOne = places.map((place) =>
    and(eq(tenantId, place.tenantId), eq(address, place.address), eq(model, place.model)),
  );
  const ofTenants = inArray(tenantId, [...new Set(places.map((place) => place.tenantId))]);
  const isFresh = sql`greatest(learned_at, refused_at) > now() - interval '24 hours'`;
  return await tx.db
    .select()
    .from(modelAdjustments)
    .where(and(ofTenants, or(...isOne), isFresh));
}
