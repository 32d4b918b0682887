import {
  type CannedReplyBody,
  type LabelBody,
  maxCannedReplies,
  maxLabels,
} from '@botyard/contracts/http/interactions-inbox';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, unprocessable } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import {
  type CannedReplyRow,
  countCannedReplies,
  countLabels,
  findLabels,
  hasCannedReplyNamed,
  hasLabelNamed,
  insertCannedReply,
  insertLabel,
  type LabelRow,
  lockNames,
  updateCannedReply,
  updateLabel,
} from '../store/labels.ts';

type Store = Pick<Deps, 'database'>;

/** @throws HttpError 409 for a name that is in use, and beyond the number of labels. */
export async function createLabel(
  { database }: Store,
  tenantId: string,
  { name }: LabelBody,
): Promise<LabelRow> {
  const label = { tenantId, labelId: uuidv7(), name };
  return await withTenant(database, [tenantId], async (tx) => {
    await requireFreeLabel(tx, label);
    if ((await countLabels(tx, { tenantId })) >= maxLabels)
      throw conflict(`a tenant has ${maxLabels} labels at most: delete one first`);
    return await insertLabel(tx, label);
  });
}

/** @throws HttpError 404, 409. */
export async function renameLabel(
  { database }: Store,
  label: Pick<LabelRow, 'tenantId' | 'labelId' | 'name'>,
): Promise<LabelRow> {
  return await withTenant(database, [label.tenantId], async (tx) => {
    await requireFreeLabel(tx, label);
    return found(await updateLabel(tx, label, { name: label.name }), 'label');
  });
}

async function requireFreeLabel(tx: TenantTx, label: Pick<LabelRow, 'tenantId' | 'labelId' | 'name'>) {
  await lockNames(tx, label.tenantId);
  if (await hasLabelNamed(tx, label)) throw conflict('there is a label with this name');
}

/** The labels' identifiers. @throws HttpError 422 for a name without a label. */
export async function requireLabels(
  tx: TenantTx,
  tenantId: string,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const labels = await findLabels(tx, tenantId, names);
  const existing = new Set(labels.map(({ name }) => name.toLowerCase()));
  const issues = names.flatMap((name, at) =>
    existing.has(name.toLowerCase()) ? [] : [{ path: `labels.${at}`, message: 'is not a label' }],
  );
  if (issues.length > 0) throw unprocessable('there is no label with this name: create it first', { issues });
  return labels.map(({ labelId }) => labelId);
}

/** @throws HttpError 409 for a name that is in use, and beyond the number of canned replies. */
export async function createCannedReply(
  { database }: Store,
  tenantId: string,
  body: CannedReplyBody,
): Promise<CannedReplyRow> {
  const reply = { tenantId, cannedReplyId: uuidv7(), ...body };
  return await withTenant(database, [tenantId], async (tx) => {
    await requireFreeReply(tx, reply);
    if ((await countCannedReplies(tx, { tenantId })) >= maxCannedReplies)
      throw conflict(`a tenant has ${maxCannedReplies} canned replies at most: delete one first`);
    return await insertCannedReply(tx, reply);
  });
}

/** @throws HttpError 404, 409. */
export async function changeCannedReply(
  { database }: Store,
  reply: Pick<CannedReplyRow, 'tenantId' | 'cannedReplyId' | 'name' | 'text'>,
): Promise<CannedReplyRow> {
  const { name, text } = reply;
  return await withTenant(database, [reply.tenantId], async (tx) => {
    await requireFreeReply(tx, reply);
    return found(await updateCannedReply(tx, reply, { name, text, updatedAt: new Date() }), 'canned reply');
  });
}

async function requireFreeReply(
  tx: TenantTx,
  reply: Pick<CannedReplyRow, 'tenantId' | 'cannedReplyId' | 'name'>,
) {
  await lockNames(tx, reply.tenantId);
  if (await hasCannedReplyNamed(tx, reply)) throw conflict('there is a canned reply with this name');
}
