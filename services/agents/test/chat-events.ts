import type { DataOf } from '@botyard/contracts/events/definition';
import {
  chatChanged,
  chatMigrated,
  type DeletedMessage,
  type EditedMessage,
  type InboundMessage,
  messageEdited,
} from '@botyard/contracts/events/webhooks';
import type { AgentsServices } from './agents-services.ts';

/** A message as it reads after an edit, so many seconds after it was sent. */
export function editOf(
  message: InboundMessage,
  text: string,
  change: Partial<EditedMessage> = {},
): EditedMessage {
  const { seq: _seq, quote: _quote, albumId: _albumId, ...said } = message;
  return { ...said, text, editedAt: new Date(Date.now() + 1000).toISOString(), editNumber: 1, ...change };
}

export const publishEdit = async (
  { harness }: Pick<AgentsServices, 'harness'>,
  ...edits: EditedMessage[]
) => {
  await Promise.all(edits.map((edit) => harness.publish(messageEdited, edit)));
  await harness.settled('agents', 'webhooks');
};

/** The chat of a message is blocked, or takes messages again; now, or at the moment given. */
export const changeChat = async (
  { harness }: Pick<AgentsServices, 'harness'>,
  { tenantId, botId, integrationId, chat }: InboundMessage,
  change: Partial<DataOf<typeof chatChanged>> = {},
) => {
  const { platformChatId } = chat;
  await harness.publish(chatChanged, {
    tenantId,
    botId,
    integrationId,
    platformChatId,
    platform: 'messenger',
    state: 'blocked',
    reason: 'the person blocked the bot',
    changedAt: new Date().toISOString(),
    ...change,
  });
  await harness.settled('agents', 'webhooks');
};

export const migrate = async (
  { harness }: Pick<AgentsServices, 'harness'>,
  { tenantId, botId, conversationId }: InboundMessage,
  migration: Pick<DataOf<typeof chatMigrated>, 'fromChatId' | 'toChatId' | 'interimConversationId'>,
) => {
  await harness.publish(chatMigrated, {
    tenantId,
    botId,
    conversationId,
    platform: 'messenger',
    ...migration,
  });
  await harness.settled('agents', 'webhooks');
};

/** The message's sender deletes it. */
export const deletionOf = ({
  tenantId,
  botId,
  integrationId,
  conversationId,
  platform,
  chat: { platformChatId },
  platformMessageId,
}: InboundMessage): DeletedMessage => ({
  tenantId,
  botId,
  integrationId,
  conversationId,
  platform,
  platformChatId,
  platformMessageIds: [platformMessageId],
  deletedAt: new Date().toISOString(),
});
