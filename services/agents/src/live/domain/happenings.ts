import { attentionNeeded, chatUpdated, handlingChanged, noteCreated } from '@botyard/contracts/events/agents';
import { evaluationChanged } from '@botyard/contracts/events/agents-evaluations';
import { releaseChanged } from '@botyard/contracts/events/agents-releases';
import type { DataOf, EventType } from '@botyard/contracts/events/definition';
import { quotaWarned } from '@botyard/contracts/events/usage';
import {
  accountChanged,
  chatChanged,
  chatMigrated,
  type EditedMessage,
  messageDeleted,
  messageEdited,
  messageReceived,
  registrationChanged,
  replyDelivered,
  replyReported,
} from '@botyard/contracts/events/webhooks';
import { type LiveEventName, liveEvents } from '@botyard/contracts/http/live';
import type { TailedEvent } from '@botyard/shared/bus/event-tail';
import type { TenantTx } from '@botyard/shared/db/database';
import { toChat, toDeadLetter, toMessage } from '../../conversations/domain/views.ts';
import { getChatOfConversation } from '../../conversations/store/chats.ts';
import { getMessage, getMessageInChat } from '../../conversations/store/interactions.ts';
import { toTicket } from '../../external-tools/domain/shown.ts';
import { getTicket } from '../../external-tools/store/tickets.ts';
import { toNote } from '../../inbox/domain/notes.ts';
import { getNote } from '../../inbox/store/notes.ts';
import {
  getMessageByPlace,
  getMessageOfPlatform,
  listChatsAtPlatform,
  listMessagesOfPlatform,
  type MessageInChat,
} from '../store/happenings.ts';

/** A listener's event: its name, and its data as JSON. */
export interface Happening {
  name: LiveEventName;
  json: string;
  /** The bot whose responders also receive it. */
  botId?: string;
}

/** The event arrived before its subject was stored. */
export const notYet = Symbol('not yet');

type Told = Promise<readonly Happening[] | typeof notYet>;

/** Converts a bus event for listeners, with current data. Returns an empty list when the data no longer exists. */
export function tell(tx: TenantTx, { event, data, tenantId }: TailedEvent): Told {
  const teller = tellers.get(event);
  if (!teller || data === undefined) return nothing;
  return teller(tx, tenantId, data);
}

/** For responders of the bot, too: they receive what happens in its chats. */
const inChatOf = (botId: string, happenings: readonly Happening[]): Happening[] =>
  happenings.map((one) => ({ ...one, botId }));

const nothing: Told = Promise.resolve([]);

/** The data is validated by its schema, like every response. */
const happening = (name: LiveEventName, data: unknown): Happening => ({
  name,
  json: JSON.stringify(liveEvents[name].parse(data)),
});

const isDefined = <Value>(value: Value | undefined): value is Value => value !== undefined;

async function tellOfChat(tx: TenantTx, tenantId: string, conversationId: string) {
  const chat = await getChatOfConversation(tx, tenantId, conversationId);
  return chat ? inChatOf(chat.botId, [happening('chat.updated', toChat(chat))]) : [];
}

/** Also true for a later edit. The number orders two edits within a second. */
function isStored({ editedAt, editNumber }: MessageInChat, edit: EditedMessage): boolean {
  const since = (editedAt?.getTime() ?? 0) - Date.parse(edit.editedAt);
  return since > 0 || (since === 0 && (editNumber ?? 0) >= edit.editNumber);
}

type Teller = (tx: TenantTx, tenantId: string, data: never) => Told;
const telling = <E extends EventType>(
  event: E,
  teller: (tx: TenantTx, tenantId: string, data: DataOf<E>) => Told,
): [EventType, Teller] => [event, teller];

const tellers = new Map<EventType, (tx: TenantTx, tenantId: string, data: unknown) => Told>([
  telling(messageReceived, async (tx, tenantId, place) => {
    const row = await getMessageByPlace(tx, tenantId, place);
    return row ? inChatOf(place.botId, [happening('message.received', toMessage(row, row.chatId))]) : notYet;
  }),
  telling(messageEdited, async (tx, tenantId, edit) => {
    const row = await getMessageOfPlatform(tx, tenantId, edit);
    // Doesn't wait for messages that are not stored or are too old to be edited.
    if (!row) return [];
    return isStored(row, edit)
      ? inChatOf(edit.botId, [happening('message.edited', toMessage(row, row.chatId))])
      : notYet;
  }),
  telling(messageDeleted, async (tx, tenantId, deletion) => {
    const rows = await listMessagesOfPlatform(tx, tenantId, deletion);
    if (rows.some(({ deletedAt }) => deletedAt === null)) return notYet;
    return inChatOf(
      deletion.botId,
      rows.map((row) => happening('message.deleted', toMessage(row, row.chatId))),
    );
  }),
  telling(replyDelivered, async (tx, tenantId, { botId, replyId, state, isUncertain, lastError }) => {
    const row = await getMessage(tx, tenantId, replyId);
    if (!row) return [];
    const status = state === 'failed' && isUncertain ? 'uncertain' : state;
    const currentMessage = { ...row, status, lastError: lastError ?? row.lastError } as const;
    return inChatOf(botId, [happening('message.sent', toMessage(currentMessage, row.chatId))]);
  }),
  telling(replyReported, async (tx, tenantId, { botId, replyId, happenedAt, state }) => {
    const row = await getMessage(tx, tenantId, replyId);
    if (!row) return [];
    const isStoredToo = row.receipt?.state === state || (row.receipt?.happenedAt ?? '') >= happenedAt;
    return isStoredToo ? inChatOf(botId, [happening('message.sent', toMessage(row, row.chatId))]) : notYet;
  }),
  telling(chatChanged, async (tx, tenantId, { platformChatId, state, reason = null, ...place }) => {
    const chats = await listChatsAtPlatform(tx, tenantId, { ...place, platformChatIds: [platformChatId] });
    const isBlocked = state === 'blocked';
    const updates = chats.map((chat) => toChat({ ...chat, isBlocked, blockedReason: reason }));
    return inChatOf(
      place.botId,
      updates.map((chat) => happening('chat.updated', chat)),
    );
  }),
  telling(chatMigrated, async (tx, tenantId, { botId, platform, fromChatId, toChatId }) => {
    const platformChatIds = [fromChatId, toChatId];
    const chats = await listChatsAtPlatform(tx, tenantId, { botId, platform, platformChatIds });
    return inChatOf(
      botId,
      chats.map((chat) => happening('chat.updated', toChat(chat))),
    );
  }),
  telling(releaseChanged, async (_tx, _tenantId, release) => [happening('release.changed', release)]),
  telling(evaluationChanged, async (_tx, _tenantId, progress) => [happening('evaluation.changed', progress)]),
  telling(
    registrationChanged,
    async (_tx, _tenantId, { integrationId, revision: _, tenantId, ...registration }) => [
      happening('integration.changed', { integrationId, registration }),
    ],
  ),
  telling(accountChanged, async (_tx, _tenantId, { integrationId, state, reason, happenedAt }) => {
    const registration = {
      state: state === 'removed' ? ('failed' as const) : ('registered' as const),
      ...(state === 'active' ? {} : { lastError: reason }),
      checkedAt: happenedAt,
    };
    return [happening('integration.changed', { integrationId, registration })];
  }),
  telling(attentionNeeded, async (tx, tenantId, { kind, id, conversationId }) => {
    if (kind === 'approval') {
      const ticket = await getTicket(tx, { tenantId, ticketId: id });
      const waiting = [ticket].filter(isDefined).map((row) => happening('approval.waiting', toTicket(row)));
      return [...waiting, ...(await tellOfChat(tx, tenantId, conversationId))];
    }
    if (kind === 'handover') return await tellOfChat(tx, tenantId, conversationId);
    const letter = await getMessageInChat(tx, tenantId, id);
    return [letter].filter(isDefined).map((row) => happening('dead_letter.created', toDeadLetter(row)));
  }),
  telling(noteCreated, async (tx, tenantId, { noteId, conversationId }) => {
    const note = await getNote(tx, tenantId, noteId);
    const chat = await getChatOfConversation(tx, tenantId, conversationId);
    if (!note || !chat) return [];
    return inChatOf(chat.botId, [happening('note.created', { ...toNote(note), chatId: chat.chatId })]);
  }),
  telling(chatUpdated, (tx, tenantId, { conversationId }) => tellOfChat(tx, tenantId, conversationId)),
  telling(handlingChanged, (tx, tenantId, { conversationId }) => tellOfChat(tx, tenantId, conversationId)),
  telling(quotaWarned, async (_tx, _tenantId, { tenantId: _, ...quota }) => [happening('quota.near', quota)]),
] as [EventType, (tx: TenantTx, tenantId: string, data: unknown) => Told][]);

/** The bus events that are forwarded to listeners. */
export const followedEvents: readonly EventType[] = [...tellers.keys()];
