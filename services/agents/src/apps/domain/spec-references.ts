import type { TenantTx } from '@botyard/shared/db/database';
import { listDefinitionsInOrder } from '../../definitions/store/definitions.ts';
import { listPlaces } from '../store/bindings.ts';
import type { Fault, ReadSpec } from './spec-faults.ts';

/** The references of a spec that the tenant doesn't have. Foreign and missing ones get the same message. */
export async function missingReferences(tx: TenantTx, tenantId: string, spec: ReadSpec): Promise<Fault[]> {
  const agentIds = spec.agents.map(({ item }) => item.agentId);
  const capabilityIds = spec.capabilities.map(({ item }) => item.capabilityId);
  const agents = idsOf(await listDefinitionsInOrder(tx, 'agent', { tenantId, ids: agentIds }));
  const capabilities = idsOf(
    await listDefinitionsInOrder(tx, 'capability', { tenantId, ids: capabilityIds }),
  );
  return [
    ...spec.agents.flatMap(({ path, item }) =>
      agents.has(item.agentId)
        ? []
        : [{ path: `${path}.agentId`, message: 'is not an agent of this tenant' }],
    ),
    ...spec.capabilities.flatMap(({ path, item }) =>
      capabilities.has(item.capabilityId)
        ? []
        : [{ path: `${path}.capabilityId`, message: 'is not a capability of this tenant' }],
    ),
    ...(await missingPlaces(tx, tenantId, spec.routes)),
  ];
}

const idsOf = (rows: readonly { id: string }[]): Set<string> => new Set(rows.map(({ id }) => id));

async function missingPlaces(tx: TenantTx, tenantId: string, routes: ReadSpec['routes']): Promise<Fault[]> {
  const idsAt = (field: 'botId' | 'chatId' | 'groupId') =>
    routes.flatMap(({ item }) => item.where[field] ?? []);
  const wanted = { botIds: idsAt('botId'), chatIds: idsAt('chatId'), groupIds: idsAt('groupId') };
  if (wanted.botIds.length + wanted.chatIds.length + wanted.groupIds.length === 0) return [];
  const places = await listPlaces(tx, tenantId, wanted);
  const botOf = new Map(places.map(({ id, botId }) => [id, botId]));
  return routes.flatMap(({ path, item: { where } }) =>
    (['botId', 'chatId', 'groupId'] as const).flatMap((field) => {
      const placeId = where[field];
      const isThere =
        !placeId || (botOf.has(placeId) && (where.botId ?? botOf.get(placeId)) === botOf.get(placeId));
      return isThere
        ? []
        : [{ path: `${path}.where.${field}`, message: "doesn't exist, or belongs to another bot" }];
    }),
  );
}
