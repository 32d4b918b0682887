import type { ReadDelivery } from '../../domain/read-delivery.ts';
import type { KnownPeople, Renaming } from './known-people.ts';
import type { NamedPerson } from './people.ts';
import type { MessageContent } from './read-message.ts';
import type { Item } from './read-notification.ts';
import type { StatusContent } from './read-status.ts';

type Written = Extract<MessageContent, { person: NamedPerson }>;
type Fate = Extract<StatusContent, { status: unknown }>;

/** The deliveries of a number's items, in order, with the identifiers that the people have now. */
export const placeItems = (items: readonly Item[], people: KnownPeople): ReadDelivery[] =>
  items.flatMap((item) => placeItem(item, people));

function placeItem(item: Item, people: KnownPeople): ReadDelivery[] {
  const { eventId } = item;
  if ('renamed' in item) {
    const renaming = people.rename(item.renamed.from, item.renamed.to);
    return renaming ? renamed(eventId, renaming) : [{ eventId, ignored: 'a person has another number' }];
  }
  if ('status' in item) return [placeStatus(eventId, item, people)];
  if ('person' in item) return placeMessage(eventId, item, people);
  if ('account' in item) return [{ eventId, account: { ...item.account, happenedAt: item.happenedAt } }];
  if ('templates' in item) return [{ eventId, recheck: true }];
  return [{ eventId, ignored: item.ignored }];
}

function placeStatus(eventId: string, { person, status }: Fate, people: KnownPeople): ReadDelivery {
  const platformChatId = people.find(person) ?? person.userId ?? String(person.phone);
  return { eventId, status: { platformChatId, ...status } };
}

function placeMessage(eventId: string, item: Written, people: KnownPeople): ReadDelivery[] {
  const { personId, renamings } = people.note(item.person);
  const before = renamings.flatMap((renaming) =>
    renamed(`renamed:${renaming.from}:${renaming.to}`, renaming),
  );
  if ('deletion' in item)
    return [...before, { eventId, deletion: { platformChatId: personId, ...item.deletion } }];
  if ('rating' in item) return [...before, { eventId, rating: { platformChatId: personId, ...item.rating } }];
  const chat = { platformChatId: personId, kind: 'private' as const, title: titleOf(item.person, personId) };
  const { name = chat.title, username } = item.person;
  const sender = { platformUserId: personId, name, ...(username ? { username } : {}) };
  if ('edit' in item)
    return [...before, { eventId: editNumberOf(item.edit), edit: { chat, sender, ...item.edit } }];
  const { message } = item;
  people.wrote(personId, { id: message.platformMessageId, sentAt: new Date(message.sentAt) });
  return [...before, { eventId, message: { chat, sender, ...message } }];
}

/** A private chat has the identifier of its person, so it moves with them. */
const renamed = (eventId: string, { from, to }: Renaming): ReadDelivery[] => [
  { eventId: `${eventId}:chat`, migration: { fromChatId: from, toChatId: to } },
  { eventId, person: { from, to } },
];

const titleOf = ({ name, username, phone }: NamedPerson, personId: string): string =>
  name ?? username ?? (phone === undefined ? personId : `+${phone}`);

/** A number that grows with time, and differs for the edits of two messages within a second. */
function editNumberOf({
  editedAt,
  platformMessageId,
}: {
  editedAt: string;
  platformMessageId: string;
}): string {
  const digest = [...platformMessageId].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1000, 7);
  return String(Date.parse(editedAt) + digest);
}
