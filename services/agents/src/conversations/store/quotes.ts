import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { v7 as uuidv7 } from 'uuid';
import { quotes } from '../../store/chat-schema.ts';
import { personIdOf } from './people.ts';

const added = unnest('added', getTableColumns(quotes));

/** Stores the quotes of messages, once per message, even if the message is delivered again. */
export const insertQuotes = preparedStatement({
  name: 'agents.quotes.insert',
  text: `insert into agents.quotes (${added.columns})
         select ${added.columns} from ${added}
         order by tenant_id, conversation_id, seq
         on conflict (tenant_id, conversation_id, seq) do nothing`,
  values: (arrived: readonly InboundMessage[]) =>
    added.values(
      arrived.flatMap(({ quote, ...message }) => {
        if (!quote) return [];
        const { receivedAt: createdAt } = message;
        const unnamed = { author: null, platformMessageId: null };
        return {
          ...message,
          ...unnamed,
          quoteId: uuidv7(),
          personId: personIdOf(message),
          createdAt,
          ...quote,
        };
      }),
    ),
});
