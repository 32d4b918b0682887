import { ErasedPerson, PersonConversation } from '@botyard/contracts/events/agents-requests';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { z } from 'zod';
import type { ErasureRow } from '../store/erasures.ts';

/** The subject of a request: sealed while it runs, deleted at its end. */
const Subject = z.object({
  accounts: ErasedPerson.shape.accounts,
  conversations: z.array(PersonConversation),
});
export type Subject = z.output<typeof Subject>;

type Key = Pick<ErasureRow, 'tenantId' | 'erasureId'>;
const bindingOf = ({ tenantId, erasureId }: Key) => ({ purpose: 'erasure', tenantId, recordId: erasureId });

export const sealSubject = (keyring: Keyring, key: Key, subject: Subject): Promise<string> =>
  keyring.seal(new Secret(JSON.stringify(subject)), bindingOf(key));

/** A restarted erasure has no known person: the services resolve the hashed identifiers. */
export async function openSubject(
  keyring: Keyring,
  row: Key & Pick<ErasureRow, 'sealedSubject'>,
): Promise<Subject> {
  if (row.sealedSubject === null) return { accounts: [], conversations: [] };
  const opened = await keyring.open(row.sealedSubject, bindingOf(row));
  return Subject.parse(JSON.parse(opened.reveal()));
}
