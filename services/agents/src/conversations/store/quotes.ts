import type { InboundMessage, Quote } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { personIdOf } from './people.ts';

/** Keeps what messages quote: once for each message, however often it is handed over. */
export async function insertQuotes(tx: TenantTx, arrived: readonly InboundMessage[]): Promise<void> {
  const quoting = arrived.flatMap((message) => (message.quote ? [{ ...message, quote: message.quote }] : []));
  if (quoting.length === 0) return;
  const column = <Value>(read: (message: InboundMessage & { quote: Quote }) => Value) => quoting.map(read);
  await tx.query({
    name: 'agents.quotes.insert',
    text: `insert into agents.quotes (tenant_id, quote_id, conversation_id, bot_id, person_id, seq, kind, text, author,
             platform_message_id, created_at)
           select t, q, c, b, p, s, k, x, nullif(who, 'null')::jsonb, m, at
           from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::bigint[], $7::text[], $8::text[],
             $9::text[], $10::text[], $11::timestamptz[]) as u (t, q, c, b, p, s, k, x, who, m, at)
           order by t, c, s
           on conflict (tenant_id, conversation_id, seq) do nothing`,
    values: [
      column(({ tenantId }) => tenantId),
      column(() => uuidv7()),
      column(({ conversationId }) => conversationId),
      column(({ botId }) => botId),
      column(personIdOf),
      column(({ seq }) => seq),
      column(({ quote }) => quote.kind),
      column(({ quote }) => quote.text),
      column(({ quote }) => JSON.stringify(quote.author ?? null)),
      column(({ quote }) => quote.platformMessageId ?? null),
      column(({ receivedAt }) => receivedAt),
    ],
  });
}
