import { type CaseBody, maxBytesOfSet, maxCases } from '@botyard/contracts/http/evaluations-cases';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { findErased } from '@botyard/shared/db/erased-people';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { found } from '@botyard/shared/db/rows';
import { conflict, unprocessable } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import {
  type CaseRow,
  countCases,
  getCase,
  holdMessages,
  insertCases,
  platformsOf,
  sumBytes,
  updateCase,
} from '../store/cases.ts';
import { getSet, type SetKey } from '../store/sets.ts';

type Store = Pick<Deps, 'database'>;
type CaseKey = SetKey & Pick<CaseRow, 'caseId'>;

/**
 * Adds cases to a set, all or none. @throws HttpError 404 for the set, 409 beyond the number of cases or the size of a
 * set, 422 for a message that isn't the tenant's or that was erased.
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
      rows.push({ ...body, ...sources, tenantId, setId, caseId: uuidv7(), bytes: bytesOf(body) });
    }
    await requireRoom(tx, key, sum(rows.map(({ bytes }) => bytes)));
    return await insertCases(tx, rows);
  });
}

/** @throws HttpError 404, 409 beyond the size of a set, 422 as `addCases`. */
export async function changeCase({ database }: Store, key: CaseKey, body: CaseBody): Promise<CaseRow> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    await lockNamed(tx, `evaluation cases of ${key.tenantId}`);
    const row = found(await getCase(tx, key), 'case');
    const sources = await requireSources(tx, key.tenantId, body.sourceMessageIds);
    const bytes = bytesOf(body);
    await requireRoom(tx, key, bytes - row.bytes);
    return found(await updateCase(tx, key, { ...body, ...sources, bytes, updatedAt: new Date() }), 'case');
  });
}

const bytesOf = (body: CaseBody): number => Buffer.byteLength(JSON.stringify(body));
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

async function requireRoom(tx: TenantTx, key: SetKey, added: number): Promise<void> {
  if (added > 0 && (await sumBytes(tx, key)) + added > maxBytesOfSet)
    throw conflict(
      `the cases of a set have at most ${maxBytesOfSet} bytes as JSON: delete some, or use another set`,
    );
}

/**
 * The conversations, authors and time of messages, by which an erasure finds the case. The messages are erased before
 * the cases that were made of them, and can't be while this transaction runs. @throws HttpError 422 for a message that
 * isn't the tenant's or that was erased.
 */
async function requireSources(
  tx: TenantTx,
  tenantId: string,
  messageIds: readonly string[],
): Promise<Pick<CaseRow, 'conversationIds' | 'personIds' | 'sourcesSince'>> {
  if (messageIds.length === 0) return { conversationIds: [], personIds: [], sourcesSince: null };
  const sources = await holdMessages(tx, tenantId, messageIds);
  const conversationIds = [...new Set(sources.map(({ conversationId }) => conversationId))];
  const platforms = await platformsOf(tx, tenantId, conversationIds);
  const said = sources.flatMap(({ messageId, conversationId, sender, receivedAt: saidAt }) => {
    const platform = platforms.get(conversationId);
    if (!sender || !platform) return [];
    const personId = personIdOfAccount(tenantId, { platform, platformUserId: sender.platformUserId });
    return [{ messageId, tenantId, personId, saidAt }];
  });
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
    conversationIds,
    personIds: [...new Set(said.map(({ personId }) => personId))],
    sourcesSince: new Date(Math.min(...sources.map(({ receivedAt }) => receivedAt.getTime()))),
  };
}
