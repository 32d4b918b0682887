import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

const maxUnits = 253;
/**
 * Letters, digits and hyphens, in at least two labels. The last one is not a number, so that IPv4 addresses don't
 * match.
 */
const shape = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** Whether a text is a domain in stored form: lower case, ASCII, without a trailing dot. */
export const isDomain = (text: string): boolean => text.length <= maxUnits && shape.test(text);

/** A domain in stored form: `Bücher.Example.` becomes `xn--bcher-kva.example`. `undefined` for an invalid one. */
export function normalizeDomain(text: string): string | undefined {
  const written = text.trim().replace(/\.$/, '');
  if (written.length > maxUnits || /[^\p{L}\p{M}\p{N}.-]/u.test(written)) return undefined;
  const domain = domainToASCII(written);
  return isDomain(domain) ? domain : undefined;
}

/** The part after the last `@`, in lower case; empty without an `@`. */
export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1 || address.length).toLowerCase();

/**
 * The registered domain by the Public Suffix List: `example.co.uk` for `mail.example.co.uk`. `null` for a public suffix
 * itself, and for invalid domains.
 */
export const organizationalDomainOf = (domain: string): string | null =>
  isDomain(domain) ? getDomain(domain, { allowPrivateDomains: true }) : null;

/** Whether two domains belong to one organization, by DMARC's relaxed alignment. */
export function areAligned(left: string, right: string): boolean {
  if (left === right) return isDomain(left);
  const organization = organizationalDomainOf(left);
  return organization !== null && organization === organizationalDomainOf(right);
}
