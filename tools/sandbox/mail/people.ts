/**
 * The people who write emails in the sandbox: those of the chats, with addresses. Two of them share a domain, to try
 * out permissions for a domain.
 */
import { chatPeople } from '../chats/people.ts';

type MailPerson = { id: number; name: string; address: string };

const domains = ['sandbox.test', 'harbour.test', 'harbour.test', 'mail.test'];
const localParts = ['sam', 'anna.keller', 'ravi', 'oleg'];

/** The first person is the page's default author. */
export const mailPeople: readonly MailPerson[] = chatPeople.map(({ id, first_name, last_name }, index) => ({
  id,
  name: [first_name, last_name].filter(Boolean).join(' '),
  address: `${localParts[index] ?? `person${index}`}@${domains[index] ?? 'mail.test'}`,
}));
