import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias, and, asc, eq, isNotNull, sql } from '@botyard/shared/db/drizzle';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import { mailDomains } from '../../store/mail-domains-schema.ts';

export type MailDomainRow = typeof mailDomains.$inferSelect;

const d = alias(mailDomains, 'd');
const domainKey = columns({ tenantId: d.tenantId, domain: d.domain });
export type MailDomainKey = RowOf<typeof domainKey>;

const stored = rowsOf(mailDomains, 'tenantId', 'domain');
export const { get: getMailDomain, lock: lockMailDomain, removeReturning: deleteMailDomain } = stored;

/** @throws HttpError 409 when the tenant has already claimed it. */
export async function insertMailDomain(tx: TenantTx, key: MailDomainKey): Promise<MailDomainRow> {
  const [row] = await tx.db.insert(mailDomains).values(key).onConflictDoNothing().returning();
  if (!row) throw conflict('the tenant has already claimed this domain');
  return row;
}

export const countMailDomains = (tx: TenantTx, tenantId: string) => stored.count(tx, { tenantId });

/** Sorted by name. */
export async function listMailDomains(tx: TenantTx, tenantId: string): Promise<MailDomainRow[]> {
  return await tx.db
    .select()
    .from(mailDomains)
    .where(eq(mailDomains.tenantId, tenantId))
    .orderBy(asc(mailDomains.domain));
}

/** Domains that the tenant has proven. They are locked until the transaction ends. */
export async function lockProvenDomains(tx: TenantTx, tenantId: string): Promise<Set<string>> {
  const rows = await tx.db
    .select({ domain: mailDomains.domain })
    .from(mailDomains)
    .where(and(eq(mailDomains.tenantId, tenantId), isNotNull(mailDomains.provenAt)))
    .orderBy(asc(mailDomains.domain))
    .for('share');
  return new Set(rows.map(({ domain }) => domain));
}

/** The tenant that has proven a domain. */
export async function findOwnerOfDomain(tx: PlatformTx, domain: string): Promise<string | undefined> {
  const [row] = await tx.db
    .select({ tenantId: mailDomains.tenantId })
    .from(mailDomains)
    .where(and(eq(mailDomains.domain, domain), isNotNull(mailDomains.provenAt)));
  return row?.tenantId;
}

export type MailDomainCheck = Pick<MailDomainRow, 'provenAt' | 'missingSince' | 'lastError' | 'dueAt'>;

/** Saves the result of a check. @throws HttpError 409 when another tenant has proven the domain. */
export async function saveMailDomainCheck(
  tx: TenantTx,
  key: MailDomainKey,
  check: Partial<MailDomainCheck>,
): Promise<MailDomainRow | undefined> {
  return await translated(stored.update(tx, key, { ...check, checkedAt: sql`now()` }), {
    mail_domains_one_owner: (cause) => conflict('another tenant has proven this domain', { cause }),
  });
}

/** Proven domains whose check is due; claimed for `retryMs`. */
export async function claimDueMailDomains(
  tx: PlatformTx,
  { limit, retryMs }: { limit: number; retryMs: number },
): Promise<MailDomainKey[]> {
  return await tx.query({
    name: 'tenancy.mail_domains.claim',
    text: typedSql`update tenancy.mail_domains d set due_at = now() + make_interval(secs => $2::float8 / 1000)
           from (select tenant_id, domain from tenancy.mail_domains where due_at <= now()
             order by due_at limit $1 for update skip locked) due
           where d.tenant_id = due.tenant_id and d.domain = due.domain
           returning ${domainKey}`,
    values: [limit, retryMs],
  });
}
