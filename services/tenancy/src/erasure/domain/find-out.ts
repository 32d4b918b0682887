import { findPerson } from '@botyard/contracts/events/agents-requests';
import { findCorrespondents } from '@botyard/contracts/events/webhook-requests';
import { type Account, accountsBehind } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { listNamedAccounts } from '../store/own-rows.ts';
import type { Outcome, Run } from './run.ts';

type FindDeps = Pick<Deps, 'bus' | 'database'>;

/**
 * Records the person's conversations before the data that identifies them is erased. An erasure repeated after a
 * restore knows only hashed identifiers, so every service is asked for the matching accounts.
 */
export async function findOut(deps: FindDeps, { person, subject }: Run): Promise<Outcome> {
  const accounts = subject.accounts.length > 0 ? subject.accounts : await accountsOf(deps, person);
  const found = await ask(deps.bus, findPerson, { ...person, accounts });
  const conversations = new Map(
    [...subject.conversations, ...found.conversations].map((one) => [one.conversationId, one]),
  );
  return { isDone: true, subject: { accounts, conversations: [...conversations.values()] } };
}

async function accountsOf({ bus, database }: FindDeps, person: Run['person']): Promise<Account[]> {
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
