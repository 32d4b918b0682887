import { cutText } from '../../../text/domain/clean-text.ts';
import { inRemark } from '../../../text/domain/remarks.ts';
import { type Fields, record, records, textOf } from '../../domain/fields.ts';
import { personShape, phoneShape } from './shapes.ts';

/** A person as a notification names them. At least one identifier is there. */
export interface NamedPerson {
  /** The identifier that the platform gives them for this business. It may change, and so may the number. */
  userId?: string | undefined;
  /** The digits of their phone number, which people may hide. */
  phone?: string | undefined;
  name?: string | undefined;
  username?: string | undefined;
}

const maxUnits = 100;

/** The person behind these identifiers; `undefined` if none of them is usable. */
export function personOf(userId: unknown, phone: unknown): NamedPerson | undefined {
  const person = {
    userId: personShape.test(textOf(userId)) ? textOf(userId) : undefined,
    phone: phoneShape.test(textOf(phone)) ? textOf(phone) : undefined,
  };
  return person.userId === undefined && person.phone === undefined ? undefined : person;
}

/** The sender of a message, with the name from the notification's contacts. */
export function senderOf(message: Fields, contacts: unknown): NamedPerson | undefined {
  const person = personOf(message.from_user_id, message.from);
  const contact = records(contacts).find(
    ({ user_id: userId, wa_id: phone }) =>
      (person?.userId !== undefined && userId === person.userId) ||
      (person?.phone !== undefined && phone === person.phone),
  );
  const sender = contact
    ? (personOf(person?.userId ?? contact.user_id, person?.phone ?? contact.wa_id) ?? person)
    : person;
  if (!sender) return undefined;
  const profile = record(contact?.profile);
  const username = textOf(profile?.username) || textOf(contact?.username);
  return {
    ...sender,
    name: inRemark(textOf(profile?.name), maxUnits) || undefined,
    username: username ? cutText(username, maxUnits) : undefined,
  };
}
