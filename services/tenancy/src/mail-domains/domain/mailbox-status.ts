import { integrationSaved } from '@botyard/contracts/events/tenancy';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { type TenantTx, withPlatform } from '@botyard/shared/db/database';
import { conflict } from '@botyard/shared/http/errors';
import { domainOf } from '@botyard/shared/mail/domains';
import { isReservedAddress, whyAccountRefuses } from '@botyard/shared/mail/installation-account';
import { toIntegrationState } from '../../integrations/domain/registration.ts';
import {
  type IntegrationRow,
  lockMailboxes,
  releaseAddress,
  updateIntegration,
} from '../../integrations/store/integrations.ts';
import type { Deps } from '../deps.ts';
import { findOwnerOfDomain, lockProvenDomains } from '../store/mail-domains.ts';

type Mailbox = Pick<IntegrationRow, 'tenantId' | 'address' | 'maskedCredentials' | 'maskedSettings'>;

interface MailboxStatus {
  /** The domain of the address, if the tenant has proven it. */
  provenDomain: string | null;
  /** The reason why nothing is sent for it; `null` if it can send. */
  fault: string | null;
}

const addressTaken =
  'a tenant that has proven the domain uses this address: give the integration another one';

/** Whether a mailbox can send: with an account of its own, or else with the installation's. */
export function mailboxStatusOf(
  { address, maskedCredentials, maskedSettings, tenantId }: Mailbox,
  proven: ReadonlySet<string>,
  mailerDomain: string | undefined,
): MailboxStatus {
  if (address === null) return { provenDomain: null, fault: addressTaken };
  const domain = domainOf(address);
  const provenDomain = proven.has(domain) ? domain : null;
  // The platform's bots belong to the operator.
  if (domain === mailerDomain && tenantId !== platformTenantId && isReservedAddress(address))
    return { provenDomain, fault: `${address} is reserved for the operator of ${mailerDomain}` };
  if (maskedCredentials.apiKey !== undefined) return { provenDomain, fault: null };
  const { senderPolicy = 'authorized', webhookSigningKey } = maskedSettings.email ?? {};
  const hasSigningKey = webhookSigningKey !== undefined;
  const sender = { address, provenDomain, senderPolicy, hasSigningKey };
  return { provenDomain, fault: whyAccountRefuses(sender, mailerDomain) ?? null };
}

/**
 * Aligns a tenant's mailboxes with its proven domains, and announces the changed ones. A mailbox that can no longer
 * send gets the reason.
 */
export async function reviewMailboxes(
  deps: Pick<Deps, 'outbox' | 'mailerDomain' | 'log'>,
  tx: TenantTx,
  tenantId: string,
): Promise<void> {
  const proven = await lockProvenDomains(tx, tenantId);
  for (const row of await lockMailboxes(tx, tenantId)) {
    const { provenDomain, fault } = mailboxStatusOf(row, proven, deps.mailerDomain);
    if (provenDomain === row.provenDomain && fault === row.registrationError) continue;
    const { integrationId, integrationType } = row;
    const change = { integrationType, provenDomain, ...registrationOf(fault) };
    const updated = await updateIntegration(tx, row, change);
    if (fault !== null) deps.log.warn({ tenantId, integrationId, reason: fault }, 'a mailbox sends nothing');
    await deps.outbox.emit(tx, integrationSaved, toIntegrationState(updated));
  }
}

/** The mailbox status in an integration's registration. */
export const registrationOf = (fault: string | null) =>
  ({ registrationState: fault === null ? 'registered' : 'failed', registrationError: fault }) as const;

/**
 * Gives an address to a tenant. If the tenant has proven the domain, other tenants lose the address. @throws HttpError
 * 409 when another tenant has proven the domain.
 */
export async function claimAddress(
  deps: Pick<Deps, 'database' | 'outbox'>,
  tenantId: string,
  address: string,
): Promise<void> {
  await withPlatform(deps.database, 'claim a mail address', async (tx) => {
    const owner = await findOwnerOfDomain(tx, domainOf(address));
    if (owner === undefined) return;
    if (owner !== tenantId) throw conflict('another tenant has proven the domain of this address');
    const released = await releaseAddress(tx, { address, ownerTenantId: tenantId, reason: addressTaken });
    await deps.outbox.emit(tx, integrationSaved, ...released.map(toIntegrationState));
  });
}
