import { createHash } from 'node:crypto';
import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import { type Fields, record, records, textOf } from '../../domain/fields.ts';
import { momentOf } from './moments.ts';
import { type NamedPerson, personOf } from './people.ts';
import { type AccountContent, accountFields } from './read-account.ts';
import { type MessageContent, readMessage } from './read-message.ts';
import { readStatus, type StatusContent } from './read-status.ts';

/** One thing that a notification tells, before its person's identifier is known. */
export type Item = { eventId: string } & (
  | MessageContent
  | StatusContent
  | (AccountContent & { happenedAt: string })
);

/** The things that a notification tells about one number, or about the whole account. */
export interface Change {
  businessAccountId: string;
  /** Absent where the news is about the account. */
  phoneNumberId?: string;
  items: readonly Item[];
}

/** Reads everything in a body; `null` if it isn't a notification of the platform. */
export function readNotification(bytes: Uint8Array, now = new Date()): Change[] | null {
  const body = record(tryParseForeignJson(bytes));
  if (body?.object !== 'whatsapp_business_account' || !Array.isArray(body.entry)) return null;
  return records(body.entry).flatMap((entry) =>
    records(entry.changes).map((change) => readChange(entry, change, now)),
  );
}

function readChange(entry: Fields, { field, value: content }: Fields, now: Date): Change {
  const value = record(content) ?? {};
  const businessAccountId = textOf(entry.id);
  const phoneNumberId = textOf(record(value.metadata)?.phone_number_id);
  const items = itemsOf(textOf(field), value, { entry, now });
  return { businessAccountId, ...(phoneNumberId ? { phoneNumberId } : {}), items };
}

function itemsOf(field: string, value: Fields, { entry, now }: { entry: Fields; now: Date }): Item[] {
  if (field === 'messages') return messageItems(value, now);
  if (field === 'user_id_update') return renamedItems(value);
  const read = accountFields[field];
  // The platform repeats such news unchanged, and gives them no identifier.
  const eventId = `news:${hashOf([field, entry.id, entry.time, value])}`;
  if (!read) return [{ eventId, ignored: ignoredField(field) }];
  return [{ eventId, ...read(value), happenedAt: momentOf(entry.time, now) }];
}

function messageItems({ messages, statuses, contacts, errors }: Fields, now: Date): Item[] {
  return [
    ...records(messages).map((raw) => ({
      eventId: messageEventId(raw),
      ...readMessage(raw, contacts, now),
    })),
    ...records(statuses).map((raw) => ({
      eventId: `status:${textOf(raw.id).slice(0, maxIdUnits)}:${textOf(raw.status).slice(0, 20)}`,
      ...readStatus(raw, contacts, now),
    })),
    ...records(errors).map((raw) => ({
      eventId: `error:${hashOf(raw)}`,
      ignored: 'an error of the platform',
    })),
  ];
}

const maxIdUnits = 300;

const messageEventId = (raw: Fields): string =>
  textOf(raw.id) === '' ? `message:${hashOf(raw)}` : `message:${textOf(raw.id).slice(0, maxIdUnits)}`;

/** Changes of identifiers, each with the old and the new one. */
function renamedItems({ user_id_update: updates }: Fields): Item[] {
  return records(updates).map((update) => {
    const { previous, current } = record(update.user_id) ?? {};
    const from = personOf(previous, undefined);
    const to = personOf(current, update.wa_id);
    const eventId = `renamed:${hashOf([previous, current])}`;
    if (!from?.userId || !to?.userId) return { eventId, ignored: 'unreadable change of a person' };
    return { eventId, renamed: { from, to } satisfies { from: NamedPerson; to: NamedPerson } };
  });
}

/** Fields that are subscribed to by mistake, or by others. Only these become labels of a counter. */
const knownFields = [
  'business_capability_update',
  'calls',
  'flows',
  'history',
  'payment_configuration_update',
  'phone_number_name_update',
  'security',
  'smb_app_state_sync',
  'smb_message_echoes',
  'user_preferences',
];

const ignoredField = (field: string): string => (knownFields.includes(field) ? field : 'unknown field');

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 32);
