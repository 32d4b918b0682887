import type {
  countTraffic as countRequest,
  listPeople as listRequest,
} from '@botyard/contracts/events/agents-people';
import { withMoments } from '@botyard/contracts/http/common';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { type Database, withTenant } from '@botyard/shared/db/database';
import type { z } from 'zod';
import { shortPage } from '../../definitions/domain/short-page.ts';
import { listPeopleOfTenant } from '../store/people-list.ts';
import { countTrafficOf } from '../store/traffic.ts';

/**
 * People who have written to a tenant's bots, the most recently first seen first. `hasMore` is true if there are more.
 */
export async function listPeople(
  database: Database,
  { accounts, personId, ...wanted }: z.output<typeof listRequest.request>,
): Promise<z.input<typeof listRequest.response>> {
  const { tenantId } = wanted;
  const named = accounts?.map((account) => personIdOfAccount(tenantId, account));
  const personIds = personId && named ? named.filter((id) => id === personId) : personId ? [personId] : named;
  const rows = await withTenant(database, [tenantId], (tx) =>
    listPeopleOfTenant(tx, { ...wanted, personIds }),
  );
  const { items: people, next } = shortPage(rows.map(withMoments), wanted.limit, (person) => person.personId);
  return { people, hasMore: next !== undefined };
}

/** Messages on each platform in a tenant, by bot and in total. */
export async function countTraffic(
  database: Database,
  { tenantId, botIds }: z.output<typeof countRequest.request>,
): Promise<z.input<typeof countRequest.response>> {
  const rows = await withTenant(database, [tenantId], (tx) => countTrafficOf(tx, tenantId, botIds));
  return {
    traffic: rows.map((row) => ({ ...row, lastDeliveryAt: row.lastDeliveryAt?.toISOString() ?? null })),
  };
}
