import { domainOf } from '@botyard/shared/mail/domains';
import { isMachineAddress } from '../inbound/receive/automatic-headers.ts';

/** One plain address, which a header can't take for several addresses, a name or a line end. */
const plainAddress = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** Whether a link may be sent to an address (in lower case): not to an automatic sender, nor to the bot's own. */
export function isInvitable(address: string, ownAddress: string): boolean {
  if (address.length > 254 || !plainAddress.test(address)) return false;
  return !isMachineAddress(localOf(address)) && mailboxOf(address) !== mailboxOf(ownAddress);
}

const localOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));
const ignoresDots = new Set(['gmail.com', 'googlemail.com']);

/**
 * The mailbox that receives mail for an address, as far as its spelling shows. A suffix after `+` doesn't change it,
 * nor do dots at providers that ignore them. Limits count by mailbox, so that no spelling makes us send more to one
 * person.
 */
export function mailboxOf(address: string): string {
  const domain = domainOf(address);
  const local = localOf(address.toLowerCase()).replace(/(?<=.)\+.*$/, '');
  if (!ignoresDots.has(domain)) return `${local}@${domain}`;
  return `${local.replaceAll('.', '')}@gmail.com`;
}
