import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { v7 as uuidv7 } from 'uuid';
import { quotes } from '../../store/chat-schema.ts';
import { personIdOf } from './people.ts';

const added = unnest('added', getTableColumns(quotes));

/** Stores the quotes of messages, once per message, even if the message is delivered again. */
export async function insertQuotes(tx: TenantTx, arrived: readonly InboundMessage[]): Promise<void> {
  const quoted = arrived.flatMap(toRows);
  if (quoted.length === 0) return;
  await tx.query({
    name: 'agents.quotes.insert',
    text: `insert into agents.quotes (${added.columns})
           select ${added.columns} from ${added}
           order by tenant_id, conversation_id, seq
           on conflict (tenant_id, conversation_id, seq) do nothing`,
    values: added.values(quoted),
  });
}

const toRows = ({ quote, ...message }: InboundMessage) =>
  quote
    ? [
        {
          ...message,
          quoteId: uuidv7(),
          personId: personIdOf(message),
          createdAt: message.receivedAt,
          author: null,
          platformMessageId: null,
          ...quote,
        },
      ]
    : [];
