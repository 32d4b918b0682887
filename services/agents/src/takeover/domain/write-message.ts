import { replyCreated } from '@botyard/contracts/events/agents';
import type { OutboundFile } from '@botyard/contracts/events/attachments';
import { findStaff } from '@botyard/contracts/events/tenancy';
import type { OutboundTemplate } from '@botyard/contracts/events/webhook-templates';
import { ask } from '@botyard/shared/bus/requests';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { conflict, HttpError } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';
import { insertChange } from '../store/changes.ts';
import { insertStaffMessage, type LockedChat } from '../store/handling.ts';
import { saveStaff } from '../store/staff.ts';
import { announceChat, requireChat } from './take-over.ts';

const minuteMs = 60_000;
const defaultAnswerWithinMinutes = 60;

/**
 * Sends a message to a chat as a user of the tenant. It is sent like an answer: once, and after earlier messages of its
 * chat. Returns its identifier. @throws HttpError 404; 409 while the bot handles the chat.
 */
export async function writeStaffMessage(
  deps: Pick<Deps, 'database' | 'outbox'>,
  { tenantId, chatId, userId }: { tenantId: string; chatId: string; userId: string },
  { text, template }: { text: string; template?: OutboundTemplate },
): Promise<string> {
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const chat = await requireHandledChat(tx, tenantId, chatId);
    const staffId = await saveStaff(tx, tenantId, userId);
    const written = await insertStaffMessage(tx, chat, { staffId, text, template });
    await sendOut(deps, tx, chat, { ...written, text, template, author: 'staff' });
    await announceOpened(deps, tx, chat, staffId);
    return written.messageId;
  });
}

/** A message of staff opens a chat that is in another state. */
export async function announceOpened(
  deps: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  chat: LockedChat,
  staffId: string,
): Promise<void> {
  if (chat.state === 'open') return;
  if (chat.state !== 'waiting') await insertChange(tx, chat, { kind: 'opened', staffId });
  await announceChat(deps, tx, chat);
}

/** @throws HttpError 404; 409 while the bot handles the chat. */
export async function requireHandledChat(
  tx: TenantTx,
  tenantId: string,
  chatId: string,
): Promise<LockedChat> {
  const chat = await requireChat(tx, tenantId, chatId);
  if (!chat.isWithPerson) throw conflict('the bot handles this chat: take it over first');
  return chat;
}

interface MessageToSend {
  messageId: string;
  seq: number;
  text: string;
  file?: OutboundFile | undefined;
  template?: OutboundTemplate | undefined;
  /** The texts to choose from under it. */
  choices?: readonly string[] | undefined;
  author: 'bot' | 'staff';
}

/** Requests the webhooks service to send a stored message, after those before it. */
export async function sendOut(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  {
    askedAt,
    answerWithinMinutes,
    place,
    isWithPerson: _,
    isBotDeleted: _gone,
    state: _state,
    assigneeStaffId: _assignee,
    ...chat
  }: LockedChat,
  { messageId, seq, text, file, template, choices, author }: MessageToSend,
): Promise<void> {
  const worthMs = (answerWithinMinutes ?? defaultAnswerWithinMinutes) * minuteMs;
  await outbox.emit(tx, replyCreated, {
    ...chat,
    chat: place,
    replyId: messageId,
    replySeq: seq,
    text,
    ...(file ? { file } : {}),
    ...(template ? { template } : {}),
    ...(choices ? { choices: [...choices] } : {}),
    author,
    // As with answers, nothing is sent to a chat that was blocked after its people last wrote.
    ...(askedAt === null ? {} : { askedAt: askedAt.toISOString() }),
    answerUntil: new Date(Date.now() + worthMs).toISOString(),
  });
}

/** Names of users by their ids. A name that the tenancy service doesn't tell is missing; lists are shown without it. */
export async function staffNames(
  { bus, log }: Pick<Deps, 'bus' | 'log'>,
  tenantId: string,
  rows: readonly { staffUserId: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  const userIds = [...new Set(rows.flatMap(({ staffUserId }) => staffUserId ?? []))];
  if (userIds.length === 0) return new Map();
  try {
    const { staff } = await ask(bus, findStaff, { tenantId, userIds });
    return new Map(staff.flatMap(({ userId, name }) => (name === null ? [] : [[userId, name] as const])));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    log.warn({ err: error }, 'messages are listed without the names of those who wrote them');
    return new Map();
  }
}
