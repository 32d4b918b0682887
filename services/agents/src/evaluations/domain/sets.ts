import { maxSets, type SetBody, type UpdateSetBody } from '@botyard/contracts/http/evaluations';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { found } from '@botyard/shared/db/rows';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { holdAgentDefinition } from '../../definitions/store/agent-definitions.ts';
import type { Deps } from '../deps.ts';
import {
  type CountedSet,
  countSets,
  getSet,
  insertSet,
  type SetKey,
  updateSet,
  withCounts,
} from '../store/sets.ts';

type Store = Pick<Deps, 'database'>;

/** @throws HttpError 404 for an agent that isn't the tenant's, 409 beyond the number of sets. */
export async function createSet({ database }: Store, tenantId: string, body: SetBody): Promise<CountedSet> {
  return await withTenant(database, [tenantId], async (tx) => {
    await lockNamed(tx, `evaluation sets of ${tenantId}`);
    await requireAgent(tx, tenantId, body.agentId);
    if ((await countSets(tx, { tenantId })) >= maxSets)
      throw conflict(`a tenant has ${maxSets} test sets at most: delete one first`);
    return { ...(await insertSet(tx, { ...body, tenantId, setId: uuidv7() })), cases: 0 };
  });
}

/** @throws HttpError 404 for a set or an agent that isn't the tenant's. */
export async function changeSet({ database }: Store, key: SetKey, body: UpdateSetBody): Promise<CountedSet> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    found(await getSet(tx, key), 'set');
    await requireAgent(tx, key.tenantId, body.agentId);
    return await counted(tx, found(await updateSet(tx, key, { ...body, updatedAt: new Date() }), 'set'));
  });
}

/** @throws HttpError 404. */
export async function readSet({ database }: Store, key: SetKey): Promise<CountedSet> {
  return await withTenant(database, [key.tenantId], async (tx) =>
    counted(tx, found(await getSet(tx, key), 'set')),
  );
}

const counted = async (tx: TenantTx, set: Parameters<typeof withCounts>[2][number]): Promise<CountedSet> =>
  (await withCounts(tx, set.tenantId, [set]))[0]!;

async function requireAgent(tx: TenantTx, tenantId: string, agentId: string): Promise<void> {
  if (!(await holdAgentDefinition(tx, tenantId, agentId))) throw notFound('agent definition');
}
