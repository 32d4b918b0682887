import { integrationDeleted } from '@botyard/contracts/events/tenancy';
import { eventually } from '@botyard/testing/eventually';
import type { Template } from '@botyard/testing/whatsapp/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appSecrets, type ConnectedNumber, WhatsAppServices } from './whatsapp-services.ts';

let services: WhatsAppServices;
let number: ConnectedNumber;

const templateOf = (name: string, change: Partial<Template> = {}): Template => ({
  name,
  language: 'en',
  status: 'APPROVED',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Hello {{1}}, your order is ready.' }],
  ...change,
});

beforeAll(async () => {
  services = await WhatsAppServices.open();
  await services.start();
  const business = services.whatsapp.addBusiness({
    templates: [templateOf('one'), templateOf('two', { language: 'de' }), templateOf('three')],
  });
  business.app.secret = appSecrets.secret;
  number = await services.connect(business);
  const url = `${services.baseUrl}/webhooks/whatsapp`;
  await services.whatsapp.setAppCallback(business.app, { url, verifyToken: appSecrets.verifyToken });
  for (const field of ['message_template_status_update', 'message_template_components_update'])
    business.app.fields.add(field);
});
afterAll(() => services?.close());

interface Row {
  name: string;
  status: string;
  components: Template['components'];
}

const storedTemplates = (): Promise<Row[]> =>
  services.harness.asOwner<Row>(
    'select name, status, components from webhooks.whatsapp_templates where integration_id = $1 order by name',
    [number.integrationId],
  );

const templatesWith = (isExpected: (rows: readonly Row[]) => boolean): Promise<Row[]> =>
  eventually('the templates are stored', async () => {
    const rows = await storedTemplates();
    return isExpected(rows) ? rows : undefined;
  });

test('a registration stores the templates of all pages', async () => {
  const rows = await templatesWith(({ length }) => length > 0);
  expect(rows.map(({ name }) => name)).toEqual(['one', 'three', 'two']);
});

test('news of a status or a text read the templates again', async () => {
  const { account } = number.business;
  account.templates[0]!.status = 'PAUSED';
  services.whatsapp.announce(account.id, 'message_template_status_update', { event: 'PAUSED' });
  const paused = await templatesWith((rows) => rows.some(({ status }) => status === 'PAUSED'));
  expect(paused.map(({ status }) => status)).toEqual(['PAUSED', 'APPROVED', 'APPROVED']);
  account.templates[1]!.components = [{ type: 'BODY', text: 'Changed' }];
  account.templates.pop();
  services.whatsapp.announce(account.id, 'message_template_components_update', {});
  const changed = await templatesWith(({ length }) => length === 2);
  expect(changed[1]!.components).toEqual([{ type: 'BODY', text: 'Changed' }]);
});

test('news that come while the templates are read make them be read once more', async () => {
  const { whatsapp, harness } = services;
  const { account } = number.business;
  const reads = () =>
    whatsapp.calls.filter(({ operation, query }) => operation === 'listTemplates' && !query.has('after'));
  const before = reads().length;
  const letGo = whatsapp.hold('listTemplates');
  whatsapp.announce(account.id, 'message_template_status_update', { event: 'APPROVED' });
  await eventually('the templates are being read', () => reads().length === before + 1);
  whatsapp.announce(account.id, 'message_template_status_update', { event: 'PAUSED' });
  await eventually('another check is due', async () => {
    const rows = await harness.asOwner(
      'select from webhooks.webhook_checks where integration_id = $1 and due_at <= now()',
      [number.integrationId],
    );
    return rows.length === 1;
  });
  letGo();
  await eventually('they are read once more', () => reads().length === before + 2);
});

test('a template that is too large is left out', async () => {
  const { account } = number.business;
  const long = { components: [{ type: 'BODY', text: 'x'.repeat(33_000) }] };
  const many = Array.from({ length: 12 }, (_, index) => templateOf(`many-${index}`));
  account.templates.splice(0, Infinity, templateOf('long', long), ...many);
  services.whatsapp.announce(account.id, 'message_template_components_update', { number: 2 });
  const rows = await templatesWith(({ length }) => length > 2);
  expect(rows.map(({ name }) => name)).not.toContain('long');
  expect(rows).toHaveLength(12);
});

test("an integration's templates are deleted with it", async () => {
  const { tenantId, botId, integrationId, revision } = number;
  await services.harness.publish(integrationDeleted, {
    tenantId,
    botId,
    integrationId,
    revision: revision + 1,
  });
  expect(await templatesWith(({ length }) => length === 0)).toEqual([]);
});
