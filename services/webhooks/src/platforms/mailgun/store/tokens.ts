import type { TenantTx } from '@botyard/shared/db/database';
import { boolean } from '@botyard/shared/db/expressions';
import { lockOrMiss } from '@botyard/shared/db/lock-named';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';

interface UsedToken {
  tenantId: string;
  botId: string;
  token: string;
  messageId: string;
  digest: string;
}

/**
 * Records the use of a signature: `fresh` the first time, `same` when this mail was delivered with it before, and
 * `other` when another one was, to any of the tenant's bots: one account at the mailer signs for all of them with one
 * key. Waits for a use that another transaction is about to commit.
 */
export async function useToken(tx: TenantTx, used: UsedToken): Promise<'fresh' | 'same' | 'other'> {
  const { tenantId, botId, token, messageId, digest } = used;
  // Uses for other bots of the tenant wait, too.
  await lockOrMiss(tx, `token ${tenantId}/${token}`, {
    name: 'webhooks.mail_tokens.lock',
    locks: "pg_advisory_xact_lock(hashtextextended($1::uuid::text || '/' || $2::text, 62))",
    values: [tenantId, token],
  });
  const inserted = await tx.query({
    name: 'webhooks.mail_tokens.use',
    text: `insert into webhooks.mail_tokens (tenant_id, bot_id, token, message_id, digest)
           select $1::uuid, $2::uuid, $3, ${hashOfMessageId('$4')}, $5
           on conflict (tenant_id, bot_id, token) do nothing returning 1`,
    values: [tenantId, botId, token, messageId, digest],
  });
  const tokenState = await lookUpToken(tx, used);
  if (tokenState === 'other') return 'other';
  return inserted.length > 0 ? 'fresh' : 'same';
}

const lookUpText = typedSql`select ${columns({ isOwn: boolean('bot_id = $2'), isSame: boolean('digest = $4') })}
  from webhooks.mail_tokens where tenant_id = $1 and token = $3`;

/** The same as `useToken`, without recording the use. */
export async function lookUpToken(
  tx: TenantTx,
  { tenantId, botId, token, digest }: Omit<UsedToken, 'messageId'>,
): Promise<'fresh' | 'same' | 'other'> {
  const rows = await tx.query({
    name: 'webhooks.mail_tokens.look_up',
    text: lookUpText,
    values: [tenantId, botId, token, digest],
  });
  if (rows.some(({ isSame }) => !isSame)) return 'other';
  return rows.some(({ isOwn }) => isOwn) ? 'same' : 'fresh';
}

/**
 * In SQL: a Message-Id may name a person or their machine, so what has to be known for longer than the mail is known by
 * its hash.
 */
export const hashOfMessageId = (messageId: string): string =>
  `encode(sha256(convert_to(${messageId}, 'UTF8')), 'hex')`;
