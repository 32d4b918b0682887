import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, typedSql } from '@botyard/shared/db/typed-sql';
import { mailThreads } from '../../../store/mail-schema.ts';
import type { ThreadRow } from './threads.ts';

interface Chat {
  tenantId: string;
  platformChatId: string;
}

const t = alias(mailThreads, 't');
const thread = columns(pick(t, 'threadId'));

/** The link that was sent to the thread's correspondent was opened, and nobody has taken that back. */
const isConfirmed = `exists (select from webhooks.sender_grants g
    where g.tenant_id = t.tenant_id and g.bot_id = t.bot_id and g.kind = 'thread' and g.value = t.thread_id::text
      and g.granted_by = t.correspondent and g.revoked_at is null)`;

const confirmedText = typedSql`select ${thread} from webhooks.mail_threads t
  where t.tenant_id = $1 and t.chat_id = $2 and ${isConfirmed}
  order by t.thread_id limit 1`;

/** The thread by which a chat is continued. */
export const findConfirmedThread = preparedStatement({
  name: 'webhooks.mail_threads.of_chat',
  text: confirmedText,
  values: ({ tenantId, platformChatId }: Chat) => [tenantId, platformChatId],
  result: ([row]) => row?.threadId,
});

/** Whether the thread's chat is continued by it. */
export const isConfirmedThread = preparedStatement({
  name: 'webhooks.mail_threads.is_confirmed',
  text: `select from webhooks.mail_threads t
         where t.tenant_id = $1 and t.thread_id = $2 and t.chat_id is not null and ${isConfirmed}`,
  values: ({ tenantId, threadId }: Pick<ThreadRow, 'tenantId' | 'threadId'>) => [tenantId, threadId],
  result: (rows) => rows.length > 0,
});

const requestedText = typedSql`select ${thread} from webhooks.mail_threads t
  where t.tenant_id = $1 and t.chat_id = $2 and t.correspondent = $3
  order by t.thread_id limit 1`;

/** The thread that an earlier link for the same chat and address has. */
export const findRequestedThread = preparedStatement({
  name: 'webhooks.mail_threads.requested',
  text: requestedText,
  values: ({ tenantId, platformChatId, address }: Chat & { address: string }) => [
    tenantId,
    platformChatId,
    address,
  ],
  result: ([row]) => row?.threadId,
});

/** Makes the threads of a chat ordinary ones, to which nobody is admitted by a link for the chat. */
export const separateThreads = preparedStatement({
  name: 'webhooks.mail_threads.separate',
  text: `with separated as (
           update webhooks.mail_threads
           set chat_platform = null, chat_id = null
           where tenant_id = $1 and chat_id = $2
           returning thread_id
         ), unopened as (
           delete from webhooks.sender_tokens
           where tenant_id = $1 and thread_id in (select thread_id from separated)
         )
         update webhooks.sender_grants
         set revoked_at = now()
         where tenant_id = $1 and kind = 'thread' and revoked_at is null
           and value in (select thread_id::text from separated)`,
  values: ({ tenantId, platformChatId }: Chat) => [tenantId, platformChatId],
});
