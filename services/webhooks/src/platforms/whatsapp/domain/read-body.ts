import { withPlatform, withTenant } from '@botyard/shared/db/database';
import type { ReadDelivery } from '../../domain/read-delivery.ts';
import type { Deps } from '../deps.ts';
import { listNumbers } from '../store/numbers.ts';
import { listPeople, savePeople } from '../store/people.ts';
import type { WhatsAppEndpoint } from './connection.ts';
import { KnownPeople } from './known-people.ts';
import type { NamedPerson } from './people.ts';
import { placeItems } from './place-items.ts';
import type { Change, Item } from './read-notification.ts';

type ReadDeps = Pick<Deps, 'admissionDatabase' | 'database' | 'texts'>;

/** Everything in a body that is for a number: its own messages and statuses, and news of its account. */
export async function readBody(
  deps: ReadDeps,
  bytes: Uint8Array,
  endpoint: WhatsAppEndpoint,
): Promise<ReadDelivery[] | null> {
  const delivery = { owner: endpoint.tenantId, sizeBytes: bytes.length };
  const changes = await deps.texts.read('readNotification', bytes, delivery);
  if (!changes) return null;
  const items = changes.flatMap((change) => itemsFor(change, endpoint));
  const own = await withoutOtherNumbers(deps, items, endpoint);
  const identifiers = [...new Set(own.flatMap(peopleIn).flatMap(identifiersOf))];
  if (identifiers.length === 0) return placeItems(own, new KnownPeople([], new Date()));
  return await withTenant(deps.admissionDatabase, [endpoint.tenantId], async (tx) => {
    const people = new KnownPeople(await listPeople(tx, endpoint, identifiers), new Date());
    const deliveries = placeItems(own, people);
    if (people.changed.length > 0) await savePeople(tx, endpoint, people.changed);
    return deliveries;
  });
}

/** The numbers in a body, and those of its accounts: the numbers that an app's own address receives it for. */
export async function accountsIn(
  deps: Pick<ReadDeps, 'texts' | 'database'>,
  bytes: Uint8Array,
): Promise<string[]> {
  const delivery = { owner: 'whatsapp', sizeBytes: bytes.length };
  const changes = (await deps.texts.read('readNotification', bytes, delivery)) ?? [];
  const numbers = changes.flatMap(({ phoneNumberId }) => phoneNumberId ?? []);
  const accounts = changes.flatMap(({ phoneNumberId, businessAccountId }) =>
    phoneNumberId === undefined ? [businessAccountId] : [],
  );
  const ofAccounts = await Promise.all(
    [...new Set(accounts)].map((businessAccountId) =>
      withPlatform(deps.database, "find an account's numbers", (tx) => listNumbers(tx, businessAccountId)),
    ),
  );
  return [...new Set([...numbers, ...ofAccounts.flat().map(({ phoneNumberId }) => phoneNumberId)])];
}

function itemsFor(
  { businessAccountId, phoneNumberId, items }: Change,
  endpoint: WhatsAppEndpoint,
): readonly Item[] {
  const isOwn =
    phoneNumberId === undefined
      ? businessAccountId === endpoint.businessAccountId
      : phoneNumberId === endpoint.phoneNumberId;
  return isOwn ? items : items.map(({ eventId }) => ({ eventId, ignored: 'for another number' }));
}

/** News of a number name it as people read it. */
async function withoutOtherNumbers(
  { database }: Pick<ReadDeps, 'database'>,
  items: readonly Item[],
  { businessAccountId, phoneNumberId }: WhatsAppEndpoint,
): Promise<readonly Item[]> {
  if (!items.some((item) => 'displayNumber' in item)) return items;
  const numbers = await withPlatform(database, "find an account's numbers", (tx) =>
    listNumbers(tx, businessAccountId),
  );
  const own = numbers.find((number) => number.phoneNumberId === phoneNumberId)?.displayNumber;
  return items.map((item) =>
    'displayNumber' in item && item.displayNumber !== own
      ? { eventId: item.eventId, ignored: 'for another number' }
      : item,
  );
}

function peopleIn(item: Item): NamedPerson[] {
  if ('renamed' in item) return [item.renamed.from, item.renamed.to];
  return 'person' in item ? [item.person] : [];
}

const identifiersOf = ({ userId, phone }: NamedPerson): string[] =>
  [userId, phone].filter((identifier) => identifier !== undefined);
