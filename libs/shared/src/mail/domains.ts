import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

const maxUnits = 253;
/**
 * Letters, digits and hyphens, of two labels at least; the last one is no number, so that no IPv4 address is a domain.
 */
const shape = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** Whether a text is a domain as we keep them: in lower case, in the letters of DNS, without a final dot. */
export const isDomain = (text: string): boolean => text.length <= maxUnits && shape.test(text);

/**
 * A domain in the form that we keep: `Bücher.Example.` becomes `xn--bcher-kva.example`. `undefined` for an invalid one.
 */
export function normalizeDomain(text: string): string | undefined {
  const written = text.trim().replace(/\.$/, '');
  if (written.length > maxUnits || /[^\p{L}\p{M}\p{N}.-]/u.test(written)) return undefined;
  const domain = domainToASCII(written);
  return isDomain(domain) ? domain : undefined;
}

/** The part after the last `@`, in lower case; empty without one. */
export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1 || address.length).toLowerCase();

/**
 * The registered domain by the Public Suffix List: `example.co.uk` for `mail.example.co.uk`. `null` for a public suffix
 * itself, and for invalid domains.
 */
export const organizationalDomainOf = (domain: string): string | null =>
  isDomain(domain) ? getDomain(domain, { allowPrivateDomains: true }) : null;

/** Whether two domains are of one organization, as DMARC asks in its relaxed mode. */
export function areAligned(left: string, right: string): boolean {
  if (left === right) return isDomain(left);
  const organization = organizationalDomainOf(left);
  return organization !== null && organization === organizationalDomainOf(right);
}
