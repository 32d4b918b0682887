import { domainOf } from './domains.ts';

/** An email integration without its own account at the mailer. */
export interface AccountlessSender {
  /** In lower case, without a `+`. */
  address: string;
  /** The domain of the address, if its tenant has proven it; otherwise `null`. */
  provenDomain: string | null;
  senderPolicy: 'authorized' | 'open';
  hasSigningKey: boolean;
}

/**
 * Local parts reserved for a domain's owner or the mail system (RFC 2142), which certificate authorities accept as
 * proof of ownership. Compared without dots, hyphens and underscores.
 */
const reservedLocalParts = new Set(
  `abuse admin administrator autoreply bounce bounces certmaster daemon donotreply hostmaster mailer mailerdaemon
   noc noreply notreply operator phishing postmaster root security ssladmin ssladministrator sslwebmaster sysadmin system
   usenet uucp webmaster`.split(/\s+/),
);

/** Whether an address under the installation's domain is reserved for every tenant. */
export const isReservedAddress = (address: string): boolean =>
  reservedLocalParts.has(address.slice(0, address.lastIndexOf('@')).toLowerCase().replace(/[._-]/g, ''));

/**
 * Why the installation's account at the mailer refuses to send for an address; `undefined` if it sends. It sends for
 * addresses under its own domain and under domains that their tenant has proven, and to strangers only if the
 * mailer's signature proves that they have written.
 */
export function whyAccountRefuses(
  { address, provenDomain, senderPolicy, hasSigningKey }: AccountlessSender,
  mailerDomain: string | undefined,
): string | undefined {
  const domain = domainOf(address);
  if (domain === mailerDomain) {
    if (isReservedAddress(address)) return `${address} is reserved for the operator of ${mailerDomain}`;
  } else if (domain !== provenDomain) {
    const own = mailerDomain === undefined ? '' : `addresses under ${mailerDomain} and for `;
    return (
      `the installation's mail account sends only for ${own}domains that the tenant has proven: prove ${domain} with ` +
      'POST /api/platforms/mail-domains, or give an apiKey of your own'
    );
  }
  if (senderPolicy === 'open' && !hasSigningKey)
    return (
      "senderPolicy open on the installation's mail account needs settings.email.webhookSigningKey: without it anybody " +
      'could have the bot write to anybody'
    );
  return undefined;
}
