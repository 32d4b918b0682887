import { randomUUID } from 'node:crypto';
import { maxRecordsOfType } from '@botyard/contracts/http/app-record-types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices } from '../../agents-services.ts';
import { Apps, orderType } from '../../app-calls.ts';

let services: AgentsServices;
let apps: Apps;

beforeAll(async () => {
  services = await openAgentsServices();
  apps = new Apps(services);
});
afterAll(() => services?.close());

const shop = () => apps.running({ recordTypes: [orderType] });
const add = (appId: string, fields: object) =>
  apps.callOk('POST', `/${appId}/records`, { body: { type: 'order', fields } });
const itemsOf = (rows: { fields: { item: string } }[]) => rows.map(({ fields }) => fields.item);

test('a record is made, changed field by field, and deleted, always as its type wants it', async () => {
  const appId = await shop();
  const made = await add(appId, { item: ' Tea ', count: 2 });
  expect(made).toMatchObject({
    source: 'admin',
    type: 'order',
    fields: { item: 'Tea', count: 2 },
    personId: null,
  });
  const path = `/${appId}/records/${made.recordId}`;
  const changed = await apps.callOk('PUT', path, { body: { fields: { size: 'large', count: null } } });
  expect(changed.fields).toEqual({ item: 'Tea', size: 'large' });
  expect(await apps.call('PUT', path, { fields: { item: null } })).toMatchObject({
    status: 400,
    body: { issues: [{ path: 'fields.item' }] },
  });
  await apps.callOk('DELETE', path, { status: 204 });
  expect((await apps.call('GET', path)).status).toBe(404);
});

test.each([
  [{}, 'fields.item'],
  [{ item: 7 }, 'fields.item'],
  [{ item: 'x'.repeat(101) }, 'fields.item'],
  [{ item: 'a\ud800' }, 'fields.item'],
  [{ item: 'Tea', count: 1.5 }, 'fields.count'],
  [{ item: 'Tea', count: 100 }, 'fields.count'],
  [{ item: 'Tea', size: 'huge' }, 'fields.size'],
  [{ item: 'Tea', day: '2026-02-30' }, 'fields.day'],
  [{ item: 'Tea', day: 'tomorrow' }, 'fields.day'],
  [{ item: 'Tea', secret: 'x' }, 'fields.secret'],
])('values that do not fit are 400 with the field: %j', async (fields, path) => {
  const appId = await shop();
  const answer = await apps.call('POST', `/${appId}/records`, { type: 'order', fields });
  expect(answer).toMatchObject({ status: 400, body: { issues: [{ path }] } });
});

test.each(['https://shop.example/a\ud800', 'https://shop.example/a\udc00b'])(
  'an address with half a character is 400: %j',
  async (site) => {
    const fields = [{ name: 'site', type: 'url' as const }];
    const appId = await apps.running({ recordTypes: [{ name: 'shop', fields }] });
    const answer = await apps.call('POST', `/${appId}/records`, { type: 'shop', fields: { site } });
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'fields.site' }] } });
  },
);

test('a time that the database can not store is 400', async () => {
  const appId = await shop();
  for (const name of ['from', 'to']) {
    const answer = await apps.call('GET', `/${appId}/records?${name}=0000-01-01T00:00:00Z`);
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: name }] } });
  }
});

test('a type that the running version lacks accepts nothing, and keeps its records', async () => {
  const appId = await shop();
  const { recordId } = await add(appId, { item: 'Tea' });
  await apps.publish(appId, { recordTypes: [] });
  const body = { type: 'order', fields: { item: 'Tea' } };
  expect((await apps.call('POST', `/${appId}/records`, body)).status).toBe(409);
  expect((await apps.call('PUT', `/${appId}/records/${recordId}`, { fields: {} })).status).toBe(409);
  expect(itemsOf(await apps.callOk('GET', `/${appId}/records?type=order`))).toEqual(['Tea']);
});

test('records are searched in any case and spelling, filtered by a field, and listed in pages', async () => {
  const appId = await shop();
  for (const item of ['Grüne Seife', 'Tea 50%', 'Tea_1', 'Milk']) await add(appId, { item, size: 'small' });
  await add(appId, { item: 'Milk', size: 'large' });
  const list = async (query: string) => itemsOf(await apps.callOk('GET', `/${appId}/records?${query}`));
  expect(await list(`search=${encodeURIComponent('GRU\u0308NE')}`)).toEqual(['Grüne Seife']);
  expect(await list(`search=${encodeURIComponent('50%')}`)).toEqual(['Tea 50%']);
  expect(await list('search=a_')).toEqual(['Tea_1']);
  expect(await list('field=size&value=large')).toEqual(['Milk']);
  expect(await list(`personId=${randomUUID()}`)).toEqual([]);
  expect(await list('from=2099-01-01T00:00:00Z')).toEqual([]);
  const first = await apps.call('GET', `/${appId}/records?limit=3`);
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1]?.replace('/api/admin/apps', '') ?? '';
  expect([...itemsOf(first.body), ...itemsOf(await apps.callOk('GET', next))]).toEqual(
    await list('limit=100'),
  );
});

test('an export has every record once, and nothing in it is a formula', async () => {
  const appId = await shop();
  await add(appId, { item: '=HYPERLINK("http://evil.test","x")' });
  await add(appId, { item: '+1, "two"\nthree' });
  await services.harness.asOwner(
    `insert into agents.app_records (tenant_id, record_id, app_id, type, fields, search_text, source)
     select $1, gen_random_uuid(), $2, 'order', json_build_object('item', '@sum' || n, 'older', 'x'), '', 'bot' from generate_series(1, 1200) n`,
    [services.acme.tenantId, appId],
  );
  const { status, text, headers } = await apps.call('GET', `/${appId}/records/export?type=order`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename=order.csv');
  const [head, ...lines] = text.replace(/^\uFEFF/, '').split('\r\n');
  expect(head).toBe(
    'recordId,type,createdAt,updatedAt,source,botId,chatId,personId,messageId,item,count,size,day,older',
  );
  expect(lines.filter((line) => line.includes("'@sum"))).toHaveLength(1200);
  expect(new Set(lines.map((line) => line.slice(0, 36))).size).toBe(1203);
  expect(text).toContain(`"'=HYPERLINK(""http://evil.test"",""x"")"`);
  expect(text).toContain(`"'+1, ""two""\nthree"`);
  expect(text).not.toMatch(/(^|,|")[=+@-][^"]/m);
});

test('an export narrows as the list does, and knows its own app only', async () => {
  const [appId, otherId] = [await shop(), await shop()];
  await add(appId, { item: 'Tea' });
  await add(appId, { item: 'Milk' });
  const { text } = await apps.call('GET', `/${appId}/records/export?type=order&search=tea`);
  expect(text.trim().split('\r\n')).toHaveLength(2);
  const whole = await apps.call('GET', `/${appId}/records/export`);
  expect(whole.text.trim().split('\r\n')).toHaveLength(3);
  const empty = await apps.call('GET', `/${otherId}/records/export?type=order`);
  expect(empty.text.trim().split('\r\n')).toHaveLength(1);
  expect((await apps.call('GET', `/${randomUUID()}/records/export?type=order`)).status).toBe(404);
});

test('a record of one app is not found beneath another', async () => {
  const [appId, otherId] = [await shop(), await shop()];
  const { recordId } = await add(appId, { item: 'Tea' });
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const body = method === 'PUT' ? { fields: {} } : undefined;
    expect((await apps.call(method, `/${otherId}/records/${recordId}`, body)).status).toBe(404);
  }
});

test('the records of a type are limited, even for simultaneous requests', async () => {
  const appId = await shop();
  await services.harness.asOwner(
    `insert into agents.app_records (tenant_id, record_id, app_id, type, fields, search_text, source)
     select $1, gen_random_uuid(), $2, 'order', '{}', '', 'bot' from generate_series(1, $3)`,
    [services.acme.tenantId, appId, maxRecordsOfType - 2],
  );
  const body = { type: 'order', fields: { item: 'Tea' } };
  const made = await Promise.all(
    Array.from({ length: 4 }, () => apps.call('POST', `/${appId}/records`, body)),
  );
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
  // All of them go with the app, in more than one batch.
  await apps.callOk('DELETE', `/${appId}`, { status: 204 });
  const left = await services.harness.asOwner('select 1 from agents.app_records where app_id = $1', [appId]);
  expect(left).toEqual([]);
});
