import type { MessengerSecrets } from '@botyard/contracts/events/tenancy';
import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { Secret } from '@botyard/shared/secrets/secret';
import type { Platform } from '../../platform.ts';
import { connector } from './connection.ts';
import type { ReplyPart } from './format-reply.ts';
import { paces } from './paces.ts';
import { isMigration } from './read-chat-event.ts';
import { registerWebhook, removeWebhook } from './register-webhook.ts';
import { sendMessage } from './send-message.ts';

export const telegram: Platform<ReplyPart, MessengerSecrets> = {
  name: connector.name,
  credentials: connector.credentials,
  registrar: {
    register: ({ messenger }, url, secrets, known) => registerWebhook(messenger, url, secrets, known),
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
  isRenaming: isMigration,
};
