import type { Refusal, admitMessages as request } from '@botyard/contracts/events/tenancy';
import { normalUserId, platformCapabilities } from '@botyard/contracts/http/platform';
import type { Database } from '@botyard/shared/db/database';
import type { z } from 'zod';
import type { PolicyDecisions } from '../../policies/domain/decisions.ts';
import { type ChatPermissions, getChatPermissions } from '../store/chat-permissions.ts';

export type AskedMessages = z.output<typeof request.request>;
type Admission = z.output<typeof request.response>;
type Sender = AskedMessages['senders'][number];

interface AdmissionParts {
  database: Database;
  policies: Pick<PolicyDecisions, 'decideMessages'>;
}

/**
 * Decides whose messages a bot accepts in a chat. A mute takes precedence over a missing grant, and policies are
 * checked last. Nothing is cached, so changes apply immediately. @throws HttpError 503 when the database doesn't
 * answer.
 */
export async function admitMessages(parts: AdmissionParts, question: AskedMessages): Promise<Admission> {
  const { tenantId, botId, platform, chat, senders } = question;
  const permissions = await getChatPermissions(parts.database, {
    tenantId,
    botId,
    platform,
    platformChatIds: namesOf(chat).map((name) => normalUserId(platform, name)),
    platformUserIds: senders.flatMap((sender) => namesOfSender(platform, chat, sender)),
  });
  const refusals: Admission['refusals'] = [];
  const passed: Sender[] = [];
  for (const sender of senders) {
    const refusal = refusalOf(namesOfSender(platform, chat, sender), chat.kind, permissions);
    if (refusal) refusals.push({ platformUserId: sender.platformUserId, refusal });
    else passed.push(sender);
  }
  if (permissions.hasPolicies && passed.length > 0) {
    for (const platformUserId of await refusedByPolicies(parts, question, passed))
      refusals.push({ platformUserId, refusal: 'policy' });
  }
  return { refusals, isUnrestricted: isUnrestricted(permissions) };
}

/** A chat that was migrated has two identifiers; its grants are moved with a delay. */
const namesOf = ({ platformChatId, migratedFrom }: AskedMessages['chat']): string[] =>
  migratedFrom ? [platformChatId, migratedFrom] : [platformChatId];

/** In a private chat that has its person's identifier, the chat's former one was the person's, too. */
const namesOfSender = (
  platform: AskedMessages['platform'],
  chat: AskedMessages['chat'],
  { platformUserId }: Pick<Sender, 'platformUserId'>,
): string[] => {
  const isOwnChat = chat.kind === 'private' && chat.platformChatId === platformUserId;
  const names =
    isOwnChat && platformCapabilities[platform].privateChatIsPerson ? namesOf(chat) : [platformUserId];
  return names.map((name) => normalUserId(platform, name));
};

/**
 * Called only for people whom moderation and grants admit. A policy is the tenant's own text and isn't rewritten, so a
 * refusal under the former identifier still applies.
 */
async function refusedByPolicies(
  { policies }: AdmissionParts,
  { tenantId, botId, platform, chat }: AskedMessages,
  senders: readonly Sender[],
): Promise<string[]> {
  const question = { tenantId, botId, platform, chatKind: chat.kind, senders };
  const refusals = await Promise.all(
    namesOf(chat).map((platformChatId) => policies.decideMessages({ ...question, platformChatId })),
  );
  return [...new Set(refusals.flat().map(({ platformUserId }) => platformUserId))];
}

/** The reason why moderation or a missing grant refuses a person; `undefined` if there is none. */
export function refusalOf(
  names: readonly string[],
  kind: AskedMessages['chat']['kind'],
  permissions: ChatPermissions,
): Refusal | undefined {
  if (names.some((name) => permissions.muted.includes(name))) return 'muted';
  if (kind !== 'private') {
    return permissions.channels === 'granted' && !permissions.isChatGranted
      ? 'channel not granted'
      : undefined;
  }
  const needsGrant =
    permissions.privateChats === 'granted' &&
    !names.some((name) => permissions.grantedInPrivate.includes(name));
  return needsGrant ? 'private chat not granted' : undefined;
}

/** Whether no person is refused in any chat of the bot. */
const isUnrestricted = ({ hasMutes, channels, privateChats, hasPolicies }: ChatPermissions): boolean =>
  !hasMutes && channels === 'all' && privateChats === 'all' && !hasPolicies;
