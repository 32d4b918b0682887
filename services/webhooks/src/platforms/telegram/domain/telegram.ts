import type { MessengerSecrets } from '@botyard/contracts/events/tenancy';
import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { Secret } from '@botyard/shared/secrets/secret';
import { showsSecret } from '../../../admission/domain/verify-secret.ts';
import type { Platform } from '../../platform.ts';
import { type Connection, connector } from './connection.ts';
import { fetchFile } from './fetch-file.ts';
import type { ReplyPart } from './format-reply.ts';
import { noteCallback } from './note-callback.ts';
import { paces } from './paces.ts';
import { pollUpdates } from './poll-updates.ts';
import { isMigration, mayComeFromAnother } from './read-chat-event.ts';
import { registerForPolling, registerWebhook, removeWebhook } from './register-webhook.ts';
import { sendMessage } from './send-message.ts';

/** The neutral one, and the platform's own. */
const secretHeaders = ['x-messenger-bot-api-secret-token', 'x-telegram-bot-api-secret-token'];

export const telegram: Platform<ReplyPart, MessengerSecrets, Connection> = {
  name: connector.name,
  credentials: connector.credentials,
  inbound: {
    connector,
    // Several times the largest that the platform sends.
    maxBytes: 256 * 1024,
    isFromPlatform: (headers, { secretHashes }, options) =>
      showsSecret(
        secretHeaders.map((name) => headers[name]?.toString()),
        secretHashes,
        options,
      ),
    read: ({ texts }, endpoint, bytes) => texts.readUpdate(endpoint.tenantId, bytes, endpoint),
    poll: pollUpdates,
    notePress: noteCallback,
  },
  registrar: {
    register: ({ messenger, isPolling }, url, secrets, known) =>
      isPolling
        ? registerForPolling(messenger, secrets, known)
        : registerWebhook(messenger, url, secrets, known),
    remove: ({ messenger }, url, { botToken }, attempts) =>
      removeWebhook(messenger, url, new Secret(botToken), attempts),
    isSameAccount: (one, other) => one.platformBotId === other.platformBotId,
  },
  slots: 64,
  paces,
  format: ({ texts }, { tenantId, markdown, signal }) => texts.formatReply(tenantId, markdown, signal),
  send: sendMessage,
  retryInMs: (attempts, worthMs) => {
    const waitMs = backoffMs(attempts);
    return waitMs < worthMs ? waitMs : undefined;
  },
  // In private the messenger names the chat as it names the person.
  listRecipients: async (_tx, replies) =>
    new Map(replies.map(({ replyId, place }) => [replyId, place.platformChatId])),
  showTyping: async ({ endpoints, messenger }, botId, { platformChatId, threadId }) => {
    const endpoint = await endpoints.find(connector, botId);
    if (endpoint) await messenger.sendTyping(endpoint.botToken, { platformChatId, threadId });
  },
  fetchFile,
  isRenaming: isMigration,
  mayBeRenamed: mayComeFromAnother,
};
