import { domainOf } from '@botyard/shared/mail/domains';
import { whyAccountRefuses } from '@botyard/shared/mail/installation-account';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { MailAccount } from '../../clients/mailer.ts';
import type { Mailbox } from '../mailboxes.ts';

export interface InstallationsAccount {
  apiKey: Secret | undefined;
  domain: string | undefined;
  /** The daily limit of mails, for each tenant and for each bot. */
  perDay: number;
  perDayOfBot: number;
}

/** The account that sends for a mailbox, or the reason why there is none. */
type FoundAccount = { account: MailAccount; isInstallations: boolean } | { reason: string };

/**
 * A tenant's own account sends from the tenant's own domain. The installation's account sends only from the domain that
 * is configured for it, or else from a proven one.
 */
export function accountOf(
  { mailerAccount }: { mailerAccount: InstallationsAccount },
  { apiKey, address, provenDomain, senderPolicy, signingKey }: Mailbox,
): FoundAccount {
  if (apiKey) return { account: { apiKey, domain: domainOf(address) }, isInstallations: false };
  const { apiKey: ours, domain } = mailerAccount;
  if (!ours) return { reason: 'MAILER_API_KEY is not set' };
  const sender = { address, provenDomain, senderPolicy, hasSigningKey: signingKey !== null };
  const reason = whyAccountRefuses(sender, domain);
  if (reason !== undefined) return { reason };
  return { account: { apiKey: ours, domain: domain ?? domainOf(address) }, isInstallations: true };
}
