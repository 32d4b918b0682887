import { domainOf } from '@botyard/shared/mail/domains';

/** One plain address: nothing that a header could take for a second one, a name or a line's end. */
const plainAddress = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** Local parts of machines; what follows a `+`, `-` or `=` is a machine's mark as well (`bounces+123`). */
const automatic =
  /^(?:mailer-daemon|postmaster|hostmaster|no-?reply|do-?not-?reply|not?-?reply|bounces?|auto-?reply|autoresponder|listserv|majordomo|prvs)(?:[+=_.-].*)?$/;

/** Whether a link may be sent to an address in lower case: one person's, and neither a machine's nor the bot's own. */
export function isInvitable(address: string, ownAddress: string): boolean {
  if (address.length > 254 || !plainAddress.test(address)) return false;
  return !automatic.test(localOf(address)) && mailboxOf(address) !== mailboxOf(ownAddress);
}

const localOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));
const ignoresDots = new Set(['gmail.com', 'googlemail.com']);

/**
 * Where mail to an address ends up, as far as its spelling tells: what follows a `+` leads nowhere else, nor do dots at
 * providers that ignore them. Limits count by this, so that no spelling makes us send more to one person.
 */
export function mailboxOf(address: string): string {
  const domain = domainOf(address);
  const local = localOf(address.toLowerCase()).replace(/(?<=.)\+.*$/, '');
  if (!ignoresDots.has(domain)) return `${local}@${domain}`;
  return `${local.replaceAll('.', '')}@gmail.com`;
}
