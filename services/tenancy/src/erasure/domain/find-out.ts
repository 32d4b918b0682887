import { findPerson } from '@botyard/contracts/events/agents-requests';
import { findCorrespondents } from '@botyard/contracts/events/webhook-requests';
import { type Account, accountsBehind } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform } from '@botyard/shared/db/database';
import { listNamedAccounts } from '../store/own-rows.ts';
import type { EraseDeps } from './eraser.ts';
import type { Outcome, Run } from './run.ts';

/**
 * Notes in which conversations a person is, before anything is erased by which that could be known. Of an erasure that begins again after a
 * restore only hashed identifiers are known: every service is asked whom they mean.
 */
export async function findOut(deps: EraseDeps, { person, subject }: Run): Promise<Outcome> {
  const accounts = subject.accounts.length > 0 ? subject.accounts : await accountsOf(deps, person);
  const found = await ask(deps.bus, findPerson, { ...person, accounts });
  const conversations = new Map(
    [...subject.conversations, ...found.conversations].map((one) => [one.conversationId, one]),
  );
  return { isDone: true, subject: { accounts, conversations: [...conversations.values()] } };
}

async function accountsOf({ bus, database }: EraseDeps, person: Run['person']): Promise<Account[]> {
  const { tenantId, personIds } = person;
  const [inChats, inMail, named] = await Promise.all([
    ask(bus, findPerson, person),
    ask(bus, findCorrespondents, { tenantId, personIds }),
    withPlatform(database, 'accounts of an erased person', (tx) => listNamedAccounts(tx, tenantId)),
  ]);
  const known = [...inChats.accounts, ...inMail.accounts, ...accountsBehind(tenantId, personIds, named)];
  const byId = new Map(known.map((account) => [`${account.platform}/${account.platformUserId}`, account]));
  return [...byId.values()];
}
