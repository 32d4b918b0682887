import { type CaseBody, maxCases } from '@botyard/contracts/http/evaluations-cases';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { findErased, type Said } from '@botyard/shared/db/erased-people';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { found } from '@botyard/shared/db/rows';
import { conflict, notFound, unprocessable } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import {
  type CaseRow,
  countCases,
  deleteCase,
  getCase,
  insertCases,
  listSources,
  updateCase,
} from '../store/cases.ts';
import { getSet, type SetKey } from '../store/sets.ts';

type Store = Pick<Deps, 'database'>;
type CaseKey = SetKey & Pick<CaseRow, 'caseId'>;

/**
 * Adds cases to a set, all or none. @throws HttpError 404 for the set, 409 beyond the number of cases, 422 for a
 * message that isn't the tenant's or whose author was erased.
 */
export async function addCases(
  { database }: Store,
  key: SetKey,
  bodies: readonly CaseBody[],
): Promise<CaseRow[]> {
  const { tenantId, setId } = key;
  return await withTenant(database, [tenantId], async (tx) => {
    await lockNamed(tx, `evaluation cases of ${tenantId}`);
    found(await getSet(tx, key), 'set');
    if ((await countCases(tx, tenantId)) + bodies.length > maxCases)
      throw conflict(`a tenant has ${maxCases} cases at most: delete some first`);
    const rows = [];
    for (const body of bodies) {
      const sources = await requireSources(tx, tenantId, body.sourceMessageIds);
      rows.push({ ...body, ...sources, tenantId, setId, caseId: uuidv7() });
    }
    return await insertCases(tx, rows);
  });
}

/** @throws HttpError 404, 422 as `addCases`. */
export async function changeCase({ database }: Store, key: CaseKey, body: CaseBody): Promise<CaseRow> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    found(await getCase(tx, key), 'case');
    const sources = await requireSources(tx, key.tenantId, body.sourceMessageIds);
    const change = { ...body, ...sources, updatedAt: new Date() };
    return found(await updateCase(tx, key, change), 'case');
  });
}

/** @throws HttpError 404. */
export async function removeCase({ database }: Store, key: CaseKey): Promise<void> {
  if (!(await withTenant(database, [key.tenantId], (tx) => deleteCase(tx, key)))) throw notFound('case');
}

/**
 * The conversations and authors of messages, by which an erasure finds the case. @throws HttpError 422 for a message
 * that isn't the tenant's or whose author was erased.
 */
async function requireSources(
  tx: TenantTx,
  tenantId: string,
  messageIds: readonly string[],
): Promise<Pick<CaseRow, 'conversationIds' | 'personIds'>> {
  if (messageIds.length === 0) return { conversationIds: [], personIds: [] };
  const sources = await listSources(tx, tenantId, messageIds);
  const said = sources.flatMap(({ messageId, platform, sender, receivedAt }) =>
    sender ? [{ messageId, ...saidBy({ tenantId, platform, sender, receivedAt }) }] : [],
  );
  const erased = await findErased(tx, 'agents', said);
  const gone = new Set(said.filter((_, at) => erased.has(at)).map(({ messageId }) => messageId));
  const usable = new Set(sources.map(({ messageId }) => messageId).filter((id) => !gone.has(id)));
  const issues = messageIds.flatMap((messageId, at) =>
    usable.has(messageId)
      ? []
      : [{ path: `sourceMessageIds.${at}`, message: 'is not a message of this tenant' }],
  );
  if (issues.length > 0) throw unprocessable('a message does not exist, or was erased', { issues });
  return {
    conversationIds: [...new Set(sources.map(({ conversationId }) => conversationId))],
    personIds: [...new Set(said.map(({ personId }) => personId))],
  };
}

type Source = Awaited<ReturnType<typeof listSources>>[number];

const saidBy = ({
  tenantId,
  platform,
  sender,
  receivedAt,
}: Pick<Source, 'platform' | 'receivedAt'> & {
  tenantId: string;
  sender: NonNullable<Source['sender']>;
}): Said => ({
  tenantId,
  personId: personIdOfAccount(tenantId, { platform, platformUserId: sender.platformUserId }),
  saidAt: receivedAt,
});
