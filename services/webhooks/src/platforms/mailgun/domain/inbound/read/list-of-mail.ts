import { addressesIn, type Person, peopleIn } from './addresses.ts';
import { headersOf, type MailHeaders } from './headers.ts';

/** The mailing list or group through which a mail came. */
export interface MailList {
  /** Its ids and addresses, in lower case; empty for a mail that came through none. */
  names: string[];
}

const maxNames = 20;
const maxUnits = 2000;
const namesOfAddress = ['List-Post', 'X-BeenThere', 'Mailing-List', 'X-Mailing-List', 'X-Loop', 'X-ML-Name'];

/** Reads the names of a list in the headers that it adds. */
export function readList(headers: MailHeaders): MailList {
  const ids = headersOf(headers, 'List-Id').map((value) => {
    const written = value.slice(0, maxUnits);
    return /<([^<>]{1,254})>/.exec(written)?.[1] ?? written;
  });
  const addresses = namesOfAddress
    .flatMap((name) => headersOf(headers, name))
    .flatMap((value) => value.slice(0, maxUnits).match(/[^\s<>,;:"]{1,64}@[^\s<>,;:"?]{1,255}/g) ?? []);
  const names = [...ids, ...addresses].map((name) => name.trim().toLowerCase());
  return { names: [...new Set(names)].filter((name) => name !== '').slice(0, maxNames) };
}

/**
 * The person who wrote a mail that a list sent in its own name, so that checks of the sender pass: `Anna via Support
 * <support@acme.example>`. `undefined` if the mail names its author in `From`, or nowhere.
 */
export function authorBehindList(
  headers: MailHeaders,
  { names }: MailList,
  from: Person | null,
): Person | undefined {
  if (from === null || !names.includes(from.address)) return undefined;
  const written = ['X-Original-From', 'X-Original-Sender', 'Reply-To'].flatMap((name) =>
    headersOf(headers, name),
  );
  const people = written.flatMap((value) => {
    const named = peopleIn(value);
    return named.length > 0 ? named : addressesIn([value]).map((address) => ({ address, name: '' }));
  });
  const author = people.find(({ address }) => !names.includes(address));
  const name =
    author?.name ||
    from.name.replace(/\s+(?:via|über|par|vía|tramite|przez)\s.*$/iu, '').replace(/^'(.*)'$/, '$1');
  return author && { address: author.address, name };
}
