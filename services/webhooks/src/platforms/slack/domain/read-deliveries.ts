import { type Fields, latestSecond, textOf } from '../../domain/fields.ts';
import type { ReadDelivery } from '../../domain/read-delivery.ts';
import type { Payload } from './payload.ts';
import { isTimestamp, type Reading } from './place.ts';
import { readAccount, readChat, readDeletion } from './read-change.ts';
import { readCommand, readPress } from './read-form.ts';
import { editedMessage, readEdit, readMessages } from './read-message.ts';
import { readReaction } from './read-reaction.ts';

/** Determines the meaning of a delivery for the bot. Never throws, for any input. */
export function readDeliveries(payload: Payload, reading: Reading): ReadDelivery[] {
  switch (payload.kind) {
    case 'event':
      return readEvent(payload.envelope, payload.event, reading);
    case 'command': {
      const eventId = `command:${textOf(payload.form.trigger_id).slice(0, maxUnitsOfId)}`;
      return [{ eventId, ...readCommand(payload.form, reading) }];
    }
    case 'press': {
      const press = readPress(payload.payload, reading);
      return press
        ? [{ eventId: `press:${press.callbackQueryId}`, callback: press }]
        : [{ malformed: 'a press without an identifier' }];
    }
    case 'other':
      return [{ eventId: payload.name, ignored: payload.name }];
    default:
      return [{ eventId: payload.kind, ignored: payload.kind }];
  }
}

const maxUnitsOfId = 200;
const idShape = /^[\w.:-]{1,200}$/;

function readEvent(envelope: Fields, event: Fields, reading: Reading): ReadDelivery[] {
  const eventId = textOf(envelope.event_id);
  if (!idShape.test(eventId)) return [{ malformed: 'no event_id' }];
  const seconds = secondsOf(envelope, reading.now);
  if (event.type !== 'message' && event.type !== 'app_mention') {
    const change =
      readReaction(event, seconds, reading) ??
      readAccount(event, seconds, reading) ??
      readChat(event, seconds, reading);
    return [{ eventId, ...(change ?? { ignored: kindOf(event) }) }];
  }
  const isGone = event.subtype === 'message_deleted' || editedMessage(event).subtype === 'tombstone';
  if (isGone) return [{ eventId, ...readDeletion(event, reading) }];
  if (event.subtype === 'message_changed') {
    const edit = readEdit(event, reading);
    return 'ignored' in edit ? [{ eventId, ...edit }] : [{ eventId: editNumberOf(event, reading), edit }];
  }
  const messages = readMessages(event, reading);
  if ('ignored' in messages) return [{ eventId, ...messages }];
  return messages.map((message, index) => ({
    eventId: index === 0 ? eventId : `${eventId}:${index + 1}`,
    alsoKnownAs: otherIdsOf(event, message.platformMessageId, index),
    message,
  }));
}

/**
 * A message that mentions the bot comes as two events, in any order; and one that a person's app sends again keeps its
 * `client_msg_id`, though not its `ts`.
 */
function otherIdsOf(event: Fields, messageId: string, index: number): string[] {
  const clientId = textOf(event.client_msg_id);
  return [
    `message:${textOf(event.channel)}:${messageId}`,
    ...(idShape.test(clientId) ? [`client:${clientId}:${index + 1}`] : []),
  ];
}

/** A number that orders edits, also of one second: the time of an edit itself has whole seconds only. */
const editNumberOf = ({ event_ts: ts }: Fields, { now }: Reading): string =>
  isTimestamp(ts) ? String(Math.round(Number(ts) * 1_000_000)) : String(now.getTime() * 1000);

function secondsOf({ event_time: seconds }: Fields, now: Date): number {
  const isSane = Number.isSafeInteger(seconds) && Number(seconds) > 0 && Number(seconds) < latestSecond;
  return isSane ? Number(seconds) : Math.floor(now.getTime() / 1000);
}

/** A kind as it may be counted. */
const kindOf = ({ type }: Fields): string => (/^[a-z_]{1,40}$/.test(textOf(type)) ? textOf(type) : 'unknown');
