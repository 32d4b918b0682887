import type { ChatPlace, DeletedMessage } from '@botyard/contracts/events/webhooks';
import { boolean } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { v7 as uuidv7 } from 'uuid';

const lockText = typedSql`
  insert into agents.conversations as c
    (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place)
  values ($tenantId, $conversationId, $chatId, $botId, $integrationId, $platform, $place)
  on conflict (tenant_id, conversation_id) do update set bot_id = c.bot_id
  returning ${columns({ isMade: boolean('xmax = 0') })}`;

/**
 * Locks a conversation, so that a message and its edit, or two edits, can't miss each other. A missing conversation is
 * created for the lock, and deleted again in the same transaction. Returns whether it was created.
 */
export const lockConversation = preparedStatement({
  name: 'agents.conversations.lock',
  text: lockText,
  values: (
    change: Omit<DeletedMessage, 'platformChatId' | 'platformMessageIds' | 'deletedAt'> & { chat: ChatPlace },
  ) => {
    const { tenantId, conversationId, botId, integrationId, platform, chat } = change;
    return {
      tenantId,
      conversationId,
      chatId: uuidv7(),
      botId,
      integrationId,
      platform,
      place: JSON.stringify(chat),
    };
  },
  result: ([row]) => ({ isMade: row?.isMade === true }),
});

export const deleteConversation = preparedStatement({
  name: 'agents.conversations.unmake',
  text: 'delete from agents.conversations where tenant_id = $1 and conversation_id = $2',
  values: ({ tenantId, conversationId }: Pick<DeletedMessage, 'tenantId' | 'conversationId'>) => [
    tenantId,
    conversationId,
  ],
});
