import type { DataOf } from '@botyard/contracts/events/definition';
import type { chatChanged } from '@botyard/contracts/events/webhooks';
import { chatKeyOf } from '@botyard/contracts/http/platform';
import { alias } from '@botyard/shared/db/drizzle';
import { like, orNull } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chatKeyText } from '../../store/chat-key.ts';
import { chatStates } from '../../store/chat-schema.ts';
import { conversations } from '../../store/schema.ts';

/** Saves a chat's state, unless a newer one is stored. */
export const saveChatState = preparedStatement({
  name: 'agents.chat_states.save',
  text: `insert into agents.chat_states as s (tenant_id, bot_id, platform_chat_id, state, reason, changed_at)
         values ($tenantId, $botId, $chatKey, $state, $reason, $changedAt)
         on conflict (tenant_id, bot_id, platform_chat_id) do update set
           state = excluded.state, reason = excluded.reason, changed_at = excluded.changed_at
         where s.changed_at <= excluded.changed_at`,
  values: (change: DataOf<typeof chatChanged>) => {
    const { tenantId, botId, platform, platformChatId, state, reason = null, changedAt } = change;
    const chatKey = chatKeyOf(platform, platformChatId);
    return { tenantId, botId, chatKey, state, reason, changedAt };
  },
});

const c = alias(conversations, 'c');

/** Columns of the conversation `c`, and of its blocked chat's state `s`. */
export const cancellation = {
  /** Position of the newest command to stop. */
  stoppedSeq: c.stoppedSeq,
  /** Since when the chat is blocked. */
  blockedAt: orNull(alias(chatStates, 's').changedAt),
  /** The highest fence whose claims may no longer send anything, because a person took the chat over. */
  mutedFence: c.mutedFence,
  /** The time at which a chat that a person handles returns to its bot. */
  handbackAt: like(c.handbackAt, "case when c.handling = 'person' then c.handback_at end"),
};
const cancellationColumns = columns(cancellation);

/** Reasons to leave messages unanswered: the person asked to stop, the chat takes no answer, or a person handles it. */
export type Cancellation = RowOf<typeof cancellationColumns>;

export const notCancelled: Cancellation = {
  stoppedSeq: null,
  blockedAt: null,
  mutedFence: null,
  handbackAt: null,
};

const cancellationText = typedSql`select ${cancellationColumns} from agents.conversations c
  left join agents.chat_states s on s.tenant_id = c.tenant_id and s.bot_id = c.bot_id
    and s.platform_chat_id = ${chatKeyText} and s.state = 'blocked'
  where c.tenant_id = $1 and c.conversation_id = $2`;

export const getCancellation = preparedStatement({
  name: 'agents.conversations.cancellation',
  text: cancellationText,
  values: ({ tenantId, conversationId }: { tenantId: string; conversationId: string }) => [
    tenantId,
    conversationId,
  ],
  result: ([row]) => row ?? notCancelled,
});
