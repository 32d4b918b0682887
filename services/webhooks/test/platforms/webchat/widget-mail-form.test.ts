import { eventually } from '@botyard/testing/eventually';
import axe from 'axe-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  closeMailServices,
  type MailServices,
  mailsTo,
  openMailServices,
  saveMailbox,
  startMailWebhooks,
} from '../../mail-services.ts';
import { openFront, openTenantSite, openWindows } from './open-site.ts';
import { saveChat } from './site.ts';

let services: MailServices;
let front: Awaited<ReturnType<typeof openFront>>;
let shop: Awaited<ReturnType<typeof openTenantSite>>;
let windows: Awaited<ReturnType<typeof openWindows>>;

beforeAll(async () => {
  services = await openMailServices();
  front = await openFront();
  shop = await openTenantSite(front.origin);
  front.use(await startMailWebhooks(services, { PUBLIC_BASE_URL: front.origin }));
  windows = await openWindows();
});
afterAll(async () => {
  await windows?.close();
  shop?.close();
  front?.close();
  await closeMailServices(services);
});

test('a visitor who has written names an address, opens its link, and sees that answers come there', async () => {
  const bot = await saveChat(services, { allowedOrigins: [shop.origin] });
  await saveMailbox(services, { tenantId: bot.tenantId, botId: bot.botId });
  shop.show(bot.botId);
  const page = await windows.newPage();
  await page.goto(shop.origin);
  await page.locator('.launcher').click();
  const message = page.getByRole('textbox', { name: 'Write a message' });
  const address = page.getByRole('textbox', { name: 'Your e-mail address' });
  await message.waitFor();
  expect(await address.isVisible()).toBe(false);
  await message.fill('Hello');
  await message.press('Enter');
  await address.fill('anna@example.com');
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  expect(violations.filter(({ nodes }) => nodes.some(({ target }) => Array.isArray(target[0])))).toEqual([]);
  await address.press('Enter');
  await page.getByText('Please open the link in the e-mail that we have sent.').waitFor();
  expect(await address.isVisible()).toBe(false);
  const mail = await eventually('the link has come', () => mailsTo(services, 'anna@example.com')[0]);
  const link = /https?:\S+#token=[0-9a-f]{48}/.exec(mail.text)![0];
  const linked = await page.context().newPage();
  await linked.goto(link);
  await linked.getByRole('button', { name: 'Yes, send answers here' }).click();
  await linked.getByRole('heading', { name: 'Answers come here now' }).waitFor();
  await page.reload();
  await page.locator('.launcher').click();
  await page.getByText('Answers that you miss here come by e-mail.').waitFor();
  expect(windows.complaints).toEqual([]);
  await page.context().close();
});

test('on the page of a bot without a mailbox, nobody is asked for an address', async () => {
  const bot = await saveChat(services, { allowedOrigins: [shop.origin] });
  shop.show(bot.botId);
  const page = await windows.newPage();
  await page.goto(shop.origin);
  await page.locator('.launcher').click();
  await page.getByRole('textbox').fill('Hello');
  await page.getByRole('textbox').press('Enter');
  await page.getByText('Sent', { exact: true }).waitFor();
  expect(await page.getByRole('textbox').count()).toBe(1);
  await page.context().close();
});
