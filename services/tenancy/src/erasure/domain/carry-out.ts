import {
  type Erased,
  type ErasedPerson,
  erasePerson,
  findPerson,
} from '@botyard/contracts/events/agents-requests';
import { eraseTransport, findCorrespondents } from '@botyard/contracts/events/webhook-requests';
import type { Receipt } from '@botyard/contracts/http/gdpr';
import { type Account, accountsBehind } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { Deps } from '../deps.ts';
import { type ErasureRow, type Progress, saveProgress } from '../store/erasures.ts';
import { deleteOwnRows, listNamedAccounts } from '../store/own-rows.ts';
import { noteInLedger } from './ledger.ts';
import { openSubject, type Subject, sealSubject } from './subject.ts';

/** Input of a step. */
interface Run {
  row: ErasureRow;
  person: ErasedPerson;
  subject: Subject;
}

/** Result of a step: it is done, or waits for something. Otherwise the same step runs again. */
interface Outcome {
  isDone: boolean;
  receipts?: readonly Receipt[];
  waitsFor?: string | undefined;
  subject?: Subject;
}

export type EraseDeps = Pick<Deps, 'bus' | 'database' | 'keyring' | 'objects' | 'log'>;

const retryMs = 1000;
const maxRetryMs = 60_000;

/**
 * The order matters: the ledger before any erasure, and the person's conversations are recorded before they are erased.
 * Services that store the conversations erase before those that carry messages. Then both are called again, for
 * messages that were in transit.
 */
const steps: readonly ((deps: EraseDeps, run: Run) => Promise<Outcome>)[] = [
  async (deps, { row }) => ({
    isDone: await noteInLedger(deps, row.tenantId),
    waitsFor: 'the ledger, which another instance is writing',
  }),
  findOut,
  ({ bus }, { person }) => ask(bus, erasePerson, person),
  ({ bus }, { person, subject }) =>
    ask(bus, eraseTransport, { ...person, conversations: subject.conversations }),
  async ({ database }, { row, subject }) => {
    const { tenantId, erasedBefore } = row;
    const gone = await withPlatform(database, 'erasure', (tx) =>
      deleteOwnRows(tx, { tenantId, erasedBefore, accounts: subject.accounts }),
    );
    return {
      isDone: true,
      receipts: [...gone].map(([table, erased]) => ({ store: `tenancy.${table}`, erased })),
    };
  },
  ({ bus }, { person }) => ask(bus, erasePerson, person),
  ({ bus }, { person, subject }) =>
    ask(bus, eraseTransport, { ...person, conversations: subject.conversations }),
];

/**
 * Continues a request from its current step. Each step is recorded when done, so that a kill costs at most one step,
 * which can safely be repeated.
 */
export async function carryOut(deps: EraseDeps, claimed: ErasureRow, signal: AbortSignal): Promise<void> {
  let row = claimed;
  try {
    let subject = await openSubject(deps.keyring, row);
    while (row.step < steps.length) {
      if (signal.aborted) return void (await save(deps, row, { retryInMs: 0 }));
      if (!deps.bus.isConnected)
        return void (await save(deps, row, { retryInMs: retryMs, attempts: row.attempts - 1 }));
      const outcome = await steps[row.step]!(deps, { row, subject, person: personOf(row, subject) });
      await failpoint(`tenancy.erasure.after-step-${row.step}`);
      if (outcome.subject) subject = outcome.subject;
      const progress = await progressOf(deps, row, outcome);
      if (!(await save(deps, row, progress)) || progress.retryInMs !== undefined) return;
      row = { ...row, ...progress };
    }
    await save(deps, row, { state: 'done', completedAt: new Date(), sealedSubject: null, waitsFor: null });
  } catch (error) {
    deps.log.warn({ err: error, erasureId: row.erasureId }, 'an erasure failed: it will be retried');
    const waitsFor =
      error instanceof HttpError ? error.message : 'an internal error: look for this requestId in the log';
    await save(deps, row, {
      waitsFor,
      retryInMs: Math.min(maxRetryMs, retryMs * 2 ** Math.min(row.attempts, 10)),
    });
  }
}

async function progressOf(deps: EraseDeps, row: ErasureRow, outcome: Outcome): Promise<Progress> {
  const { isDone, receipts = [], waitsFor = null, subject } = outcome;
  const progress: Progress = {
    receipts: addUp(row.receipts, receipts),
    attempts: 0,
    waitsFor: isDone ? null : waitsFor,
  };
  if (isDone) progress.step = row.step + 1;
  else if (waitsFor !== null) progress.retryInMs = retryMs;
  if (isDone && row.step === 0) progress.notedAt = new Date();
  if (subject) progress.sealedSubject = await sealSubject(deps.keyring, row, subject);
  return progress;
}

const save = ({ database }: EraseDeps, row: ErasureRow, progress: Progress): Promise<boolean> =>
  withTenant(database, [row.tenantId], (tx) => saveProgress(tx, row, progress));

const personOf = (
  { tenantId, personIds, erasedBefore }: ErasureRow,
  { accounts }: Subject,
): ErasedPerson => ({
  tenantId,
  personIds,
  accounts,
  erasedBefore: erasedBefore.toISOString(),
});

function addUp(before: readonly Receipt[], more: Erased['receipts'] | readonly Receipt[]): Receipt[] {
  const sums = new Map(before.map(({ store, erased }) => [store, erased]));
  for (const { store, erased } of more) sums.set(store, (sums.get(store) ?? 0) + erased);
  return [...sums].map(([store, erased]) => ({ store, erased }));
}

/**
 * Records the person's conversations before the data that identifies them is erased. For an erasure that is repeated
 * after a restore only hashed identifiers are known, so every service is asked for the matching accounts.
 */
async function findOut(deps: EraseDeps, { person, subject }: Run): Promise<Outcome> {
  const accounts = subject.accounts.length > 0 ? subject.accounts : await accountsOf(deps, person);
  const inChats = await ask(deps.bus, findPerson, { ...person, accounts });
  const conversations = new Map(
    [...subject.conversations, ...inChats.conversations].map((one) => [one.conversationId, one]),
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
  const accounts = [...inChats.accounts, ...inMail.accounts, ...accountsBehind(tenantId, personIds, named)];
  const byId = new Map(accounts.map((account) => [`${account.platform}/${account.platformUserId}`, account]));
  return [...byId.values()];
}
