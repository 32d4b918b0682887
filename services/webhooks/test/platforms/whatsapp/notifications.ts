import type { Item } from '../../../src/platforms/whatsapp/domain/read-notification.ts';
import { readNotification } from '../../../src/platforms/whatsapp/domain/read-notification.ts';

export const businessAccountId = '102290129340398';
export const phoneNumberId = '106540352242922';
export const anna = { userId: 'DE.13491208655302741918', phone: '4917612345678', name: 'Anna' };

/** A notification with one change of a number. */
export const ofNumber = (value: Record<string, unknown>, field = 'messages') => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: businessAccountId,
      time: 1_795_200_000,
      changes: [
        {
          field,
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '4930901820', phone_number_id: phoneNumberId },
            ...value,
          },
        },
      ],
    },
  ],
});

const contacts = [{ profile: { name: anna.name }, wa_id: anna.phone, user_id: anna.userId }];

/** A notification with a message of Anna's. */
export const ofMessage = (content: Record<string, unknown>) =>
  ofNumber({
    contacts,
    messages: [
      { from: anna.phone, from_user_id: anna.userId, id: 'wamid.HBgL', timestamp: '1795200000', ...content },
    ],
  });

const now = new Date('2026-11-20T12:00:00Z');

export const itemsOf = (body: unknown): readonly Item[] =>
  (readNotification(Buffer.from(JSON.stringify(body)), now) ?? []).flatMap(({ items }) => items);

/** The words and the kind of content that an agent gets for a message. */
export function wordsOf(content: Record<string, unknown>) {
  const [item] = itemsOf(ofMessage(content));
  if (!item || !('message' in item)) throw new Error(`not a message: ${JSON.stringify(item)}`);
  return item.message;
}
