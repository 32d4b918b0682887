import type { OutboundTemplate } from '@botyard/contracts/events/webhook-templates';
import { initialSettings } from '@botyard/contracts/http/bot';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { boolean, like, orNull } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import type { ConversationKey } from '../../store/conversation-of.ts';
import { bots, conversations, messages } from '../../store/schema.ts';
import type { StoredAttachment } from '../../store/stored-attachment.ts';

const c = alias(conversations, 'c');

const askedAt = `(select m.received_at from agents.messages m where m.tenant_id = c.tenant_id
  and m.conversation_id = c.conversation_id and m.direction = 'in' order by m.seq desc limit 1)`;

const locked = columns({
  ...pick(c, 'tenantId', 'conversationId', 'botId', 'integrationId', 'platform', 'place'),
  isWithPerson: boolean("c.handling = 'person' and c.handback_at is not null and c.handback_at > now()"),
  state: c.state,
  assigneeStaffId: orNull(c.assigneeStaffId),
  isBotDeleted: boolean('b.deleted_at is not null'),
  /** The time for which a message is worth sending; `null` for an unknown bot. */
  answerWithinMinutes: orNull(alias(bots, 'b').answerWithinMinutes),
  /** The arrival of the newest message from the people of the chat. */
  askedAt: orNull(like(messages.receivedAt, askedAt)),
});

/** A chat that is locked until the transaction ends, against changes of its handling and ends of its turns. */
export type LockedChat = RowOf<typeof locked>;

export const lockChat = preparedStatement({
  name: 'agents.handling.lock',
  text: typedSql`select ${locked} from agents.conversations c
         left join agents.bots b on b.tenant_id = c.tenant_id and b.bot_id = c.bot_id
         where c.tenant_id = $1 and c.chat_id = $2 for no key update of c`,
  values: (tenantId: string, chatId: string) => [tenantId, chatId],
  result: ([row]) => row,
});

/** Whether a person has taken the conversation over since the bot last had it. The person's time may have expired. */
export const wasTaken = preparedStatement({
  name: 'agents.handling.get',
  text: typedSql`select ${columns({ wasTaken: boolean("handling = 'person'") })} from agents.conversations
         where tenant_id = $1 and conversation_id = $2`,
  values: ({ tenantId, conversationId }: ConversationKey) => [tenantId, conversationId],
  result: ([row]) => row?.wasTaken ?? false,
});

/** The time at which the bot automatically takes back the conversation `c`. */
const nextHandback = `now() + make_interval(mins => coalesce((select b.handback_after_minutes from agents.bots b
  where b.tenant_id = c.tenant_id and b.bot_id = c.bot_id), ${initialSettings.handbackAfterMinutes}))`;

/**
 * Gives the locked conversation to a person. The running turn no longer answers, and pending messages are left to the
 * person.
 */
export async function takeConversation(
  tx: TenantTx,
  { tenantId, conversationId }: ConversationKey,
  taken: { assigneeStaffId: string | null; handoverReason?: string },
): Promise<void> {
  await tx.query({
    name: 'agents.handling.take',
    text: `update agents.conversations c set handling = 'person', handback_at = ${nextHandback}, assignee_staff_id = $3,
             muted_fence = c.fence, state = case when c.state in ('snoozed', 'resolved') then 'open' else c.state end,
             handover_reason = coalesce($4, case when c.handling = 'person' and c.handback_at > now() then c.handover_reason end)
           where tenant_id = $1 and conversation_id = $2`,
    values: [tenantId, conversationId, taken.assigneeStaffId, taken.handoverReason ?? null],
  });
  await tx.query({
    name: 'agents.handling.leave',
    text: `update agents.messages set is_for_staff = true
           where tenant_id = $1 and conversation_id = $2 and direction = 'in' and status = 'queued'`,
    values: [tenantId, conversationId],
  });
}

/** Hands back the conversations that `due` selects. Messages from before the handback stay unanswered. */
const givingBack = (
  due: string,
  { state, recorded }: { state: string; recorded: string },
) => typedSql`with due as (
    select tenant_id, conversation_id, handback_at from agents.conversations where handling = 'person' and ${due}
  ), given as (
    update agents.conversations c set handling = 'bot', handback_at = null, assignee_staff_id = null, handover_reason = null,
      state = ${state}
    from due where c.tenant_id = due.tenant_id and c.conversation_id = due.conversation_id
  ), unanswered as (
    update agents.messages m set is_for_staff = true from due
    where m.tenant_id = due.tenant_id and m.conversation_id = due.conversation_id and m.direction = 'in'
      and m.status = 'queued' and m.created_at < due.handback_at
  )${recorded}
  select ${columns({ tenantId: conversations.tenantId, conversationId: conversations.conversationId })} from due`;

/** A handback that happens by itself is written as a change without a user. */
const automatic = {
  state: 'c.state',
  recorded: `, recorded as (
    insert into agents.chat_changes (tenant_id, conversation_id, kind)
    select tenant_id, conversation_id, 'handed_back' from due
  )`,
};

/** Staff decided on what the conversation `c` waits for. */
const decided = "case when c.state = 'waiting' then 'open' else c.state end";

/** Gives a locked conversation back to its bot. Returns `false` when the bot already has it. */
export async function giveConversationBack(
  tx: TenantTx,
  { tenantId, conversationId }: ConversationKey,
): Promise<boolean> {
  const text = givingBack('tenant_id = $1 and conversation_id = $2', { state: decided, recorded: '' });
  return await giveBack(tx, { name: 'chat', text }, [tenantId, conversationId]);
}

/** Records the automatic handback of a locked conversation, if its time has passed. */
export async function settleHandback(
  tx: TenantTx,
  { tenantId, conversationId }: ConversationKey,
): Promise<boolean> {
  const due = 'tenant_id = $1 and conversation_id = $2 and handback_at <= now()';
  const text = givingBack(due, automatic);
  return await giveBack(tx, { name: 'overdue_chat', text }, [tenantId, conversationId]);
}

async function giveBack(
  tx: TenantTx,
  { name, text }: { name: string; text: ReturnType<typeof givingBack> },
  values: unknown[],
): Promise<boolean> {
  return (await tx.query({ name: `agents.handling.give_back_${name}`, text, values })).length > 0;
}

const maxAtOnce = 200;

/** The same for up to `maxAtOnce` conversations whose time has passed. Locked ones are left for later. */
export async function settleHandbacks(tx: PlatformTx): Promise<ConversationKey[]> {
  return await tx.query({
    name: 'agents.handling.settle',
    text: givingBack(
      `handback_at <= now() order by handback_at limit ${maxAtOnce} for no key update skip locked`,
      automatic,
    ),
    values: [],
  });
}

/** Writes a staff message into a locked conversation, and postpones the automatic handback. */
export const insertStaffMessage = preparedStatement({
  name: 'agents.handling.write',
  text: typedSql`with place as (
           update agents.conversations c set next_reply_seq = c.next_reply_seq + 1, staff_replies = c.staff_replies + 1,
             handback_at = ${nextHandback}, state = 'open'
           where tenant_id = $tenantId and conversation_id = $conversationId returning c.next_reply_seq - 1 as seq, c.last_seq)
         insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, staff_id, status,
           received_at, after_seq, attachment, template)
         select $tenantId, agents.new_id(), $conversationId, 'out', seq, $words, 'text', $staffId, 'sending', now(), last_seq,
           $attachment, $template from place
         returning ${columns({ messageId: messages.messageId, seq: messages.seq })}`,
  values: (
    { tenantId, conversationId }: ConversationKey,
    message: {
      staffId: string;
      text: string;
      attachment?: StoredAttachment;
      template?: OutboundTemplate | undefined;
    },
  ) => {
    const { staffId, text: words } = message;
    const attachment = message.attachment ? JSON.stringify(message.attachment) : null;
    const template = message.template ? JSON.stringify(message.template) : null;
    return { tenantId, conversationId, staffId, words, attachment, template };
  },
  result: ([row]) => row!,
});
