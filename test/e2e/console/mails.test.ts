import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenConsole, openConsole, writeMail } from './open-console.ts';

const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script> {{7*7}}';

let opened: OpenConsole;
let page: Page;
/** The questions that pages asked before an action, in order. */
let asked: string[];
let isConfirmed: boolean;
beforeAll(async () => {
  opened = await openConsole();
});
beforeEach(async () => {
  page = await opened.newPage();
  asked = [];
  isConfirmed = true;
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void (isConfirmed ? dialog.accept() : dialog.dismiss());
  });
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(() => opened?.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const held = () => opened.installation.api<{ mailId: string }[]>('GET', '/api/email-threads/held-mails');
const answers = async () => {
  const mails = (await (await fetch(`${opened.installation.sandboxUrl}/api/mail`)).json()) as {
    entries: { direction: string; to: string; text: string }[];
  };
  return mails.entries.filter(({ direction }) => direction === 'out');
};

test('a held mail is shown as text with its reason, and answered once an admin has permitted its sender', async () => {
  const subject = `Opening hours ${hostile}`;
  const sender = await writeMail(opened.installation, { subject, text: `When are you open? ${hostile}` });
  await page.goto('/inbox/held-mails');
  const row = page.getByRole('row', { name: new RegExp(sender) });
  await row.getByText('This sender is not allowed to write to the bot.').waitFor();
  await row.getByText('Demo bot').waitFor();
  await row.getByRole('link', { name: subject, exact: true }).click();

  await page.getByRole('heading', { name: subject, exact: true }).waitFor();
  await page.getByText(`When are you open? ${hostile}`, { exact: true }).waitFor();
  expect(await page.title()).toBe('Held email · Botyard');
  await page.getByLabel(`Demo bot answers emails from ${sender} in any thread.`).check();
  isConfirmed = false;
  await button('Allow').click();
  expect(asked).toEqual([
    `Demo bot answers emails from ${sender} in any thread. Their held emails are answered immediately. Continue?`,
  ]);
  expect(await held()).toHaveLength(1);

  isConfirmed = true;
  await button('Allow').click();
  await page.getByText('1 held email is being answered.').waitFor();
  await page.getByText('This email is no longer held.').waitFor();
  await eventually('it is answered', async () =>
    (await answers()).some(({ to, text }) => to === sender && text.includes('When are you open?')),
  );
});

test('permitted senders are listed with the person who allowed them, and a revoked permission holds mails again', async () => {
  await page.goto('/inbox/senders');
  const row = page.getByRole('row', { name: /anna\.keller@harbour\.test in any thread/ });
  await row.waitFor();
  await row.getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
  expect(asked[0]).toContain('Their emails are held from now on');
  await writeMail(opened.installation, { subject: 'And on Sundays?', text: 'Are you open on Sundays?' });
  await page.goto('/inbox/held-mails');
  await page.getByRole('link', { name: 'And on Sundays?' }).waitFor();

  await page.goto('/inbox/senders');
  await button('Allow a sender …').first().click();
  await page.getByLabel('Permission for', { exact: true }).selectOption({ label: 'Everyone at a domain' });
  await page.getByLabel('Domain', { exact: true }).fill('gmail.com');
  await button('Allow').click();
  await page.getByText(/everybody can get an address of this domain/).waitFor();
  await page.getByLabel('Domain', { exact: true }).fill('harbour.test');
  await button('Allow').click();
  await page.getByRole('row', { name: /ends in @harbour\.test\. Subdomains are not included/ }).waitFor();
  await eventually('the one that was held is answered', async () => (await held()).length === 0);
});

test('a mail that may be forged is marked, stays held after its sender is permitted, and is refused permanently', async () => {
  const subject = 'Pay this bill';
  await writeMail(opened.installation, { subject, text: 'At once, please.', piece: 'forged' });
  await page.goto('/inbox/held-mails');
  const row = page.getByRole('row', { name: new RegExp(subject) });
  await row.getByText('unverified').waitFor();
  await row.getByText(/SPF pass, DKIM fail/).waitFor();
  await row.getByRole('link', { name: subject }).click();
  await page.getByText(/This email may be forged, so none of these permissions releases it/).waitFor();
  await page.getByText('This email also has an HTML part, which is not shown.').waitFor();
  await page.getByLabel(/everyone whose address ends in/).check();
  await page.getByLabel(/emails from/).check();
  await button('Allow').click();
  await page.getByText('0 held emails are being answered.').waitFor();
  expect(await held()).toHaveLength(1);

  isConfirmed = false;
  await button('Reject').click();
  expect(await held()).toHaveLength(1);
  isConfirmed = true;
  await button('Reject').click();
  await page.getByText('refused by an admin').waitFor();
  expect(await held()).toHaveLength(0);
  await page.getByRole('link', { name: 'Back to held emails' }).click();
  await page.getByText('No held emails.').waitFor();
});

test('a single mail is answered without a permission for its sender', async () => {
  const sender = await writeMail(opened.installation, {
    subject: 'Once',
    text: 'Only this time.',
    from: 'Sam',
  });
  await page.goto('/inbox/held-mails');
  const row = page.getByRole('row', { name: new RegExp(sender) });
  await row.getByRole('button', { name: 'Answer' }).click();
  await row.waitFor({ state: 'detached' });
  expect(asked[0]).toContain('Its sender is not added to the allowed senders.');
  await writeMail(opened.installation, { subject: 'Twice', text: 'And again.', from: 'Sam' });
  await page.getByRole('link', { name: 'Twice' }).waitFor();
});

test('a member learns that only admins decide about held mails', async () => {
  await page.goto(`/inbox/held-mails?as=user_member&tenant=${opened.installation.demo.tenantId}`);
  await page.getByText('Your role has no access to this page.').waitFor();
});
