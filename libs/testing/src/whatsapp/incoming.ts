/** Messages of people, in the platform's words. */
import type { PhoneNumber, SentButton, ShownMessage, WaPerson } from './types.ts';

export type Content = { type: string } & Record<string, unknown>;

export const textContent = (body: string): Content => ({ type: 'text', text: { body } });

export const metadataOf = ({ id, display }: PhoneNumber) => ({
  display_phone_number: display.replace(/\D/g, ''),
  phone_number_id: id,
});

export const contactOf = (person: WaPerson) => ({
  profile: { name: person.name, ...(person.username ? { username: person.username } : {}) },
  ...(person.hidesPhone ? {} : { wa_id: person.phone }),
  ...(person.hasNoUserId ? {} : { user_id: person.userId }),
});

export const senderOf = (person: WaPerson) => ({
  ...(person.hidesPhone ? {} : { from: person.phone }),
  ...(person.hasNoUserId ? {} : { from_user_id: person.userId }),
});

export const recipientOf = (person: WaPerson) => ({
  ...(person.hidesPhone ? {} : { recipient_id: person.phone }),
  ...(person.hasNoUserId ? {} : { recipient_user_id: person.userId }),
});

export const secondsNow = (): string => String(Math.floor(Date.now() / 1000));

/** The person's own message, as they see it. */
export function shownText(message: Content): string {
  const content = message[message.type] as Record<string, unknown> | undefined;
  const reply = (content?.button_reply ?? content?.list_reply) as { title?: string } | undefined;
  return String(content?.body ?? content?.caption ?? content?.text ?? reply?.title ?? `(${message.type})`);
}

/** A press of a button, in the words for the kind of its message. */
export function pressContent({ pressedAs = 'button_reply' }: ShownMessage, reply: SentButton): Content {
  if (pressedAs === 'button') return { type: 'button', button: { payload: reply.id, text: reply.title } };
  return { type: 'interactive', interactive: { type: pressedAs, [pressedAs]: reply } };
}

/** The notification of a person's new number, which brings a new identifier. */
export const numberChange = (former: WaPerson, changed: WaPerson, id: string) => ({
  messages: [
    {
      from: former.phone,
      id,
      timestamp: secondsNow(),
      type: 'system',
      system: {
        body: `User ${former.name} changed from ${former.phone} to ${changed.phone}`,
        wa_id: changed.phone,
        user_id: changed.userId,
        type: 'user_changed_number',
      },
    },
  ],
});

/** The notification of a person's new identifier. */
export const userIdChange = (former: WaPerson, changed: WaPerson) => ({
  contacts: [contactOf(changed)],
  user_id_update: [
    {
      ...(former.hidesPhone ? {} : { wa_id: former.phone }),
      detail: `User id for ${former.name} has been updated.`,
      user_id: { previous: former.userId, current: changed.userId },
      timestamp: secondsNow(),
    },
  ],
});
