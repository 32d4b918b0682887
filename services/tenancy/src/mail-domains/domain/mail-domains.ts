import { withMoments } from '@botyard/contracts/http/common';
import { type MailDomain, maxMailDomains } from '@botyard/contracts/http/mail-domains';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, invalid, unprocessable } from '@botyard/shared/http/errors';
import { normalizeDomain } from '@botyard/shared/mail/domains';
import { isOrganizationDomain } from '@botyard/shared/mail/organization-domains';
import { Secret } from '@botyard/shared/secrets/secret';
import { lockTenant } from '../../store/tenants.ts';
import type { TxtAnswer } from '../clients/dns.ts';
import type { Deps } from '../deps.ts';
import {
  countMailDomains,
  deleteMailDomain as deleteMailDomainRow,
  findOwnerOfDomain,
  getMailDomain,
  insertMailDomain,
  listMailDomains as listMailDomainRows,
  lockMailDomain,
  type MailDomainCheck,
  type MailDomainKey,
  type MailDomainRow,
  saveMailDomainCheck,
} from '../store/mail-domains.ts';
import { reviewMailboxes } from './mailbox-status.ts';

const minute = 60_000;
const hour = 60 * minute;
const recheckMs = 24 * hour;
const recheckMissingMs = 6 * hour;
const recheckUnreachableMs = hour;
/** How long a record may be missing: name servers move, and people make mistakes. */
const graceMs = 72 * hour;

export async function listMailDomains(
  deps: Pick<Deps, 'database' | 'hashToken'>,
  tenantId: string,
): Promise<MailDomain[]> {
  const rows = await withTenant(deps.database, [tenantId], (tx) => listMailDomainRows(tx, tenantId));
  return await Promise.all(rows.map((row) => toMailDomain(deps, row)));
}

/**
 * Claims a domain, which reserves nothing until it is proven. @throws HttpError 400 for an invalid domain, 409 for one
 * that is already claimed or that another tenant has proven, 422 for one that no organization can own.
 */
export async function createMailDomain(
  deps: Pick<Deps, 'database' | 'hashToken' | 'mailerDomain'>,
  tenantId: string,
  written: string,
): Promise<MailDomain> {
  const domain = normalizeDomain(written);
  if (domain === undefined)
    throw invalid([{ path: ['domain'], message: 'must be a domain such as example.com' }]);
  if (domain === deps.mailerDomain) throw unprocessable('this is the domain of the installation itself');
  if (!isOrganizationDomain(domain))
    throw unprocessable('a domain in which everybody can get an address or a subdomain can not be proven');
  const owner = await withPlatform(deps.database, 'owner of a mail domain', (tx) =>
    findOwnerOfDomain(tx, domain),
  );
  if (owner !== undefined && owner !== tenantId) throw conflict('another tenant has proven this domain');
  const row = await withTenant(deps.database, [tenantId], async (tx) => {
    // One at a time, so that the limit is exact.
    await lockTenant(tx, tenantId);
    if ((await countMailDomains(tx, tenantId)) >= maxMailDomains)
      throw conflict(`a tenant has at most ${maxMailDomains} mail domains: delete one first`);
    return await insertMailDomain(tx, { tenantId, domain });
  });
  return await toMailDomain(deps, row);
}

type CheckDeps = Pick<Deps, 'database' | 'hashToken' | 'dns' | 'outbox' | 'mailerDomain' | 'log'>;

/** Checks the record now. @throws HttpError 404, 409 when another tenant has proven the domain. */
export async function checkMailDomain(
  deps: CheckDeps,
  tenantId: string,
  written: string,
): Promise<MailDomain> {
  const key = { tenantId, domain: domainIn(written) };
  const storedDomain = await withTenant(deps.database, [tenantId], (tx) => getMailDomain(tx, key));
  const row = storedDomain && (await lookForRecord(deps, key));
  return await toMailDomain(deps, found(row, 'mail domain'));
}

/** @throws HttpError 404. */
export async function deleteMailDomain(
  deps: Pick<Deps, 'database' | 'outbox' | 'mailerDomain' | 'log'>,
  tenantId: string,
  written: string,
): Promise<void> {
  const key = { tenantId, domain: domainIn(written) };
  await withTenant(deps.database, [tenantId], async (tx) => {
    const row = found(await deleteMailDomainRow(tx, key), 'mail domain');
    if (row.provenAt !== null) await reviewMailboxes(deps, tx, tenantId);
  });
}

/** An invalid domain is replaced by one that no tenant has. */
const domainIn = (written: string): string => normalizeDomain(written) ?? '';

/**
 * Queries DNS and saves the result with its effects on the tenant's mailboxes. Returns `undefined` when the claim no
 * longer exists.
 */
export async function lookForRecord(deps: CheckDeps, key: MailDomainKey): Promise<MailDomainRow | undefined> {
  const { name, value } = await recordOf(deps, key);
  const answer = await deps.dns.resolveTxt(name);
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    const before = await lockMailDomain(tx, key);
    if (!before) return undefined;
    const check = judge(before, { answer, name, value }, Date.now());
    const after = await saveMailDomainCheck(tx, key, check);
    if (after && (after.provenAt === null) !== (before.provenAt === null)) {
      deps.log.info({ ...key, isProven: after.provenAt !== null }, 'the owner of a mail domain has changed');
      await reviewMailboxes(deps, tx, key.tenantId);
    }
    return after;
  });
}

function judge(
  { provenAt, missingSince }: MailDomainRow,
  { answer, name, value }: { answer: TxtAnswer; name: string; value: string },
  nowMs: number,
): Partial<MailDomainCheck> {
  const isProven = provenAt !== null;
  const inMs = (ms: number) => (isProven ? new Date(nowMs + ms) : null);
  if (answer.outcome === 'unreachable') {
    const lastError = `the name servers did not answer (${answer.reason})`;
    return { lastError, dueAt: inMs(recheckUnreachableMs) };
  }
  if (answer.outcome === 'found' && answer.values.includes(value)) {
    const dueAt = new Date(nowMs + recheckMs);
    return { provenAt: provenAt ?? new Date(nowMs), missingSince: null, lastError: null, dueAt };
  }
  const lastError = `${name} has no TXT record with this value`;
  const since = missingSince ?? new Date(nowMs);
  if (isProven && nowMs - since.getTime() >= graceMs)
    return { provenAt: null, missingSince: null, lastError, dueAt: null };
  return { missingSince: isProven ? since : null, lastError, dueAt: inMs(recheckMissingMs) };
}

/**
 * The value is specific to the tenant and the same whenever it claims the domain, so that DNS needs no change for a new
 * claim.
 */
async function recordOf(
  { hashToken }: Pick<Deps, 'hashToken'>,
  { tenantId, domain }: MailDomainKey,
): Promise<MailDomain['record']> {
  const proof = await hashToken(new Secret(`mail domain ${domain} of ${tenantId}`));
  return { type: 'TXT', name: `_botyard.${domain}`, value: `botyard-domain-verification=${proof}` };
}

const toMailDomain = async (deps: Pick<Deps, 'hashToken'>, row: MailDomainRow): Promise<MailDomain> => ({
  ...withMoments(row),
  record: await recordOf(deps, row),
  state: row.provenAt === null ? 'unproven' : 'proven',
});
