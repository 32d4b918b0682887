import { hearingOf } from '../../../src/admission/domain/group-rules.ts';
import type { ReadDelivery } from '../../../src/platforms/domain/read-delivery.ts';
import type { Endpoint } from '../../../src/platforms/platform.ts';
import type { OwnBot } from '../../../src/platforms/telegram/domain/connection.ts';
import { readUpdate } from '../../../src/platforms/telegram/domain/read-update.ts';

/** An update as it is read, and then judged by the rules for groups. */
export function heardUpdate(
  body: unknown,
  bot: OwnBot,
  openGroups: Endpoint['openGroups'] = new Map(),
): ReadDelivery {
  const read = readUpdate(body, bot);
  if ('malformed' in read) return read;
  const message = 'message' in read ? read.message : 'edit' in read ? read.edit : undefined;
  if (!message || hearingOf(message, openGroups) !== 'none') return read;
  return { eventId: read.eventId, ignored: 'not addressed to the bot' };
}
