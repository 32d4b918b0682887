import type { ModelNotes } from '@botyard/contracts/http/adjustments';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { getDefinition } from '../../definitions/store/definitions.ts';
import { ModelError } from '../../models/clients/call-failure.ts';
import type { ModelPlace } from '../../models/clients/learned-adjustments.ts';
import { listLearnedAt, type ModelAdjustmentsRow } from '../../models/store/model-adjustments.ts';
import type { Deps } from '../deps.ts';

/**
 * Returns what was learned about an agent's model since the agent was last changed, with the tenant's own key and
 * with the platform's. The provider's own words are shown to the tenant only that they answered. @throws HttpError
 * 404.
 */
export async function getModelNotes(
  { database, model: client }: Pick<Deps, 'database' | 'model'>,
  { tenantId, agentId }: { tenantId: string; agentId: string },
): Promise<ModelNotes> {
  const agent = await withTenant(database, [tenantId], async (tx) =>
    found(await getDefinition(tx, 'agent', { tenantId, id: agentId }), 'agent'),
  );
  const { provider, model, updatedAt } = agent;
  const places = await client.placesOf({ tenantId, provider, model }).catch(placesOfNone);
  const rows = await withTenant(database, [tenantId, platformTenantId], (tx) => listLearnedAt(tx, places));
  return notesOf(rows, { tenantId, since: updatedAt });
}

/** An address that is missing or no longer allowed has taught nothing. */
function placesOfNone(error: unknown): ModelPlace[] {
  if (error instanceof ModelError) return [];
  throw error;
}

function notesOf(
  rows: readonly ModelAdjustmentsRow[],
  { tenantId, since }: { tenantId: string; since: Date },
): ModelNotes {
  const learned = rows.filter(({ learnedAt }) => learnedAt && learnedAt > since);
  const own = rows.find((row) => row.tenantId === tenantId && row.refusedAt && row.refusedAt > since);
  const times = learned.map(({ learnedAt }) => learnedAt!.getTime());
  const { maxOutputTokens, contextTokens, thinks } = Object.assign(
    { leftOut: [] },
    ...learned.map(({ adjustments }) => adjustments),
  ) as ModelAdjustmentsRow['adjustments'];
  return {
    leftOut: [...new Set(learned.flatMap(({ adjustments }) => adjustments.leftOut))],
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(thinks === undefined ? {} : { thinks }),
    learnedAt: times.length > 0 ? new Date(Math.max(...times)).toISOString() : null,
    refusal:
      own?.refusal && own.refusedAt ? { reason: own.refusal, refusedAt: own.refusedAt.toISOString() } : null,
  };
}
