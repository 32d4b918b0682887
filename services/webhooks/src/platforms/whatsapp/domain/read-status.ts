import { inRemark } from '../../../text/domain/remarks.ts';
import { type Fields, numberOf, record, records, textOf } from '../../domain/fields.ts';
import { momentOf } from './moments.ts';
import { type NamedPerson, personOf } from './people.ts';
import { messageIdShape } from './shapes.ts';

/** The fate of a message that was sent, and the person it was sent to. */
export type StatusContent =
  | {
      person: NamedPerson;
      status: {
        platformMessageId: string;
        state: 'delivered' | 'read' | 'failed';
        reason?: string;
        happenedAt: string;
      };
    }
  | { ignored: string };

const states = ['delivered', 'read', 'failed'] as const;

/** Reads one object of a notification's `statuses`. They come in any order, and repeatedly. */
export function readStatus(raw: Fields, contacts: unknown, now: Date): StatusContent {
  const platformMessageId = textOf(raw.id);
  const said = textOf(raw.status);
  if (said === 'sent') return { ignored: 'status sent' };
  // Only a voice message has been played, and it was read then.
  const state = said === 'played' ? 'read' : states.find((one) => one === said);
  const [contact] = records(contacts);
  const person = personOf(raw.recipient_user_id ?? contact?.user_id, raw.recipient_id ?? contact?.wa_id);
  if (!state || !person || !messageIdShape.test(platformMessageId)) return { ignored: 'unreadable status' };
  const reason = state === 'failed' ? failureOf(raw.errors) : undefined;
  const happenedAt = momentOf(raw.timestamp, now);
  return { person, status: { platformMessageId, state, ...(reason ? { reason } : {}), happenedAt } };
}

/** Why a message failed, for people: the platform's own words, except where they say too little. */
export function failureOf(errors: unknown): string {
  const [error] = records(errors);
  const code = numberOf(error?.code);
  const own = code === undefined ? undefined : ownReasons[code];
  if (own !== undefined) return `${own} (${code})`;
  const details = textOf(record(error?.error_data)?.details);
  const said = inRemark(details || textOf(error?.message) || textOf(error?.title), maxUnits);
  return `${said || 'the platform gave no reason'}${code === undefined ? '' : ` (${code})`}`;
}

const maxUnits = 250;

/** The person wrote more than a day ago. */
export const closedWindow =
  "more than 24 hours have passed since the person's last message: WhatsApp now accepts an approved template only, which the inbox offers in this chat";

/** Reasons in our words, by the platform's code. */
const ownReasons: Readonly<Record<number, string>> = {
  131026:
    'the message is undeliverable: the person does not use WhatsApp, has an old version of it, or has blocked this number',
  131047: closedWindow,
  132000: 'the template has other gaps by now: choose it again',
  132001:
    'WhatsApp no longer knows the template in this language, or has not approved it: choose another one',
  132005: 'the text of the template is too long with these parameters',
  132007: 'WhatsApp refuses the template because of its policy: choose another one',
  132012: 'the parameters do not fit the template: choose it again',
  132015: 'WhatsApp has paused the template because of its quality: choose another one',
  132016: 'WhatsApp has disabled the template for good: choose another one',
  132018: 'WhatsApp refuses the parameters of the template',
  131049: "WhatsApp held the message back, so that the person doesn't get too many from businesses",
  131050: 'the person has stopped marketing messages of this business',
};
