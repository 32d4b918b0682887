import { maxRecordsOfType, type RecordType } from '@botyard/contracts/http/app-record-types';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { readInput } from '@botyard/shared/http/read-input';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { type AppKey, lockApp } from '../store/apps.ts';
import {
  countRecords,
  hasRecordOf,
  lockRecord,
  putRecord,
  type RecordKey,
  type RecordRow,
  updateRecord,
} from '../store/records.ts';
import { getVersion } from '../store/versions.ts';
import { requireApp } from './publishing.ts';
import { type RecordValues, searchTextOf, shapeOf } from './record-shape.ts';

/** The source of a record: its author and place. */
type RecordOrigin = Pick<
  RecordRow,
  'source' | 'botId' | 'agentId' | 'chatId' | 'personId' | 'messageId' | 'originKey'
>;

const byAdmin: RecordOrigin = {
  source: 'admin',
  botId: null,
  agentId: null,
  chatId: null,
  personId: null,
  messageId: null,
  originKey: null,
};

/**
 * Saves values that fit their type. A repeated origin overwrites the same record, so that turns can be repeated.
 * @throws HttpError 404 when the app no longer exists, 409 when it has too many records of the type.
 */
export async function saveRecord(
  tx: TenantTx,
  key: AppKey,
  { type, fields, ...origin }: RecordOrigin & { type: string; fields: RecordValues },
): Promise<RecordRow> {
  // Serializes saves to the same app, so that the count is right.
  if (!(await lockApp(tx, key))) throw notFound('app');
  const { originKey } = origin;
  const isKnown = originKey !== null && (await hasRecordOf(tx, { ...key, originKey }));
  if (!isKnown && (await countRecords(tx, key, type)) >= maxRecordsOfType)
    throw conflict(`the app has ${maxRecordsOfType} records of this type: delete some first`);
  const record = { ...key, ...origin, recordId: uuidv7(), type, fields };
  return await putRecord(tx, { ...record, searchText: searchTextOf(fields) });
}

/** @throws HttpError 404, 400 for fields that don't fit, 409 when the running version has no such type. */
export async function createRecord(
  deps: Deps,
  key: AppKey,
  { type, fields }: { type: string; fields: RecordValues },
): Promise<RecordRow> {
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    const wanted = await requireType(tx, key, type);
    return await saveRecord(tx, key, { ...byAdmin, type, fields: fitting(wanted, fields) });
  });
}

/** Changes the given fields; `null` removes one. @throws HttpError as `createRecord`. */
export async function changeRecord(
  deps: Deps,
  key: RecordKey,
  change: Readonly<Record<string, RecordValues[string] | null>>,
): Promise<RecordRow> {
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    const record = found(await lockRecord(tx, key), 'record');
    const type = await requireType(tx, key, record.type);
    const changed = Object.entries({ ...record.fields, ...change }).filter(([, value]) => value !== null);
    const fields = fitting(type, Object.fromEntries(changed) as RecordValues);
    return await updateRecord(tx, key, { fields, searchText: searchTextOf(fields) });
  });
}

async function requireType(tx: TenantTx, key: AppKey, name: string): Promise<RecordType> {
  const { currentVersion } = await requireApp(tx, key);
  const version =
    currentVersion === null ? undefined : await getVersion(tx, { ...key, version: currentVersion });
  const type = version?.spec.recordTypes.find((one) => one.name === name);
  if (type) return type;
  throw conflict('the running version of the app has no such record type: publish a version that has it');
}

function fitting(type: RecordType, fields: RecordValues): RecordValues {
  return readInput(shapeOf(type), fields, { path: ['fields'] });
}
