import { withMoments } from '@botyard/contracts/http/common';
import type { EraseBody, ErasureRequest } from '@botyard/contracts/http/gdpr';
import { normalUserId } from '@botyard/contracts/http/platform';
import { type Account, personIdOfAccount, personIdOfUser } from '@botyard/shared/auth/person-id';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, notFound, unprocessable } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { listLinksOf } from '../../messenger-login/store/links.ts';
import { listAllNames } from '../../moderation/store/renamed-people.ts';
import { getMembership } from '../../people/store/memberships.ts';
import { lockTenant } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import { type ErasureRow, getErasure, insertErasure, lookBefore, restartErasure } from '../store/erasures.ts';
import { reapplyLedger } from './ledger.ts';
import { sealSubject } from './subject.ts';

const maxErasures = 10_000;

/**
 * Accepts a request. Later messages of the person are not erased. @throws HttpError 404 for a user who isn't the
 * tenant's, 422 for one who has not visited it yet, 409 while the person is being erased.
 */
export async function requestErasure(
  deps: Pick<Deps, 'database' | 'keyring' | 'wakeEraser'>,
  { tenantId, createdBy }: { tenantId: string; createdBy: string },
  body: EraseBody,
): Promise<ErasureRequest> {
  const namedAccounts = 'userId' in body ? await accountsOf(deps, tenantId, body.userId) : [normal(body)];
  const accounts = await withTenant(deps.database, [tenantId], (tx) =>
    listAllNames(tx, tenantId, namedAccounts),
  );
  const key = { tenantId, erasureId: uuidv7() };
  const personIds = [
    ...accounts.map((account) => personIdOfAccount(tenantId, account)),
    // Identifies them in chats where they wrote as the tenant's staff.
    ...('userId' in body ? [personIdOfUser(tenantId, body.userId)] : []),
  ];
  const sealedSubject = await sealSubject(deps.keyring, key, { accounts, conversations: [] });
  return await withTenant(deps.database, [tenantId], async (tx) => {
    // One at a time, so that concurrent requests can't exceed either limit.
    found(await lockTenant(tx, tenantId), 'tenant');
    const { all, isRunning } = await lookBefore(tx, tenantId, personIds);
    if (isRunning) throw conflict('this person is already being erased: poll the request until it is done');
    if (all >= maxErasures) throw conflict(`a tenant has at most ${maxErasures} requests: ask the operator`);
    await insertErasure(tx, { ...key, personIds, sealedSubject, erasedBefore: new Date(), createdBy });
    tx.afterCommit(deps.wakeEraser);
    return toRequest((await getErasure(tx, key))!);
  });
}

const normal = ({ platform, platformUserId }: Account): Account => ({
  platform,
  platformUserId: normalUserId(platform, platformUserId),
});

async function accountsOf(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  userId: string,
): Promise<Account[]> {
  const member = await withTenant(database, [tenantId], (tx) => getMembership(tx, { tenantId, userId }));
  if (!member) throw notFound('user');
  // The tenant must not learn whether a person who hasn't visited it has accounts.
  if (member.visitedAt === null)
    throw unprocessable(
      'this user has not come to the tenant yet: name the account by `platform` and `platformUserId`',
    );
  const links = await withPlatform(database, 'accounts of a person to erase', (tx) =>
    listLinksOf(tx, userId),
  );
  return links.map(({ platform, platformUserId }) => ({ platform, platformUserId }));
}

/** @throws HttpError 404; 409 while it runs. */
export async function rerunErasure(
  { database, wakeEraser }: Pick<Deps, 'database' | 'wakeEraser'>,
  key: { tenantId: string; erasureId: string },
): Promise<ErasureRequest> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    const isRestarted = await restartErasure(tx, key);
    const row = found(await getErasure(tx, key), 'request');
    if (!isRestarted) throw conflict('the request is still running: poll it until it is done');
    tx.afterCommit(wakeEraser);
    return toRequest(row);
  });
}

/**
 * Restarts erasures that a restored database doesn't have. @throws HttpError 503 when the object store doesn't answer.
 */
export async function reapplyErasures(
  deps: Pick<Deps, 'database' | 'objects' | 'wakeEraser'>,
  tenantId: string,
): Promise<ErasureRequest[]> {
  const begun = await reapplyLedger(deps, tenantId);
  if (begun.length > 0) deps.wakeEraser();
  const rows = await withTenant(deps.database, [tenantId], (tx) =>
    Promise.all(begun.map((erasureId) => getErasure(tx, { tenantId, erasureId }))),
  );
  return rows.flatMap((row) => (row ? [toRequest(row)] : []));
}

/** Without the sealed subject, which is never returned. */
export const toRequest = ({ erasureId: requestId, sealedSubject: _, ...row }: ErasureRow): ErasureRequest =>
  withMoments({ ...row, requestId });
