import { handlingChanged } from '@botyard/contracts/events/agents';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { weekdays } from '@botyard/contracts/platforms/webchat-hours';
import { eventually } from '@botyard/testing/eventually';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { conversationOf, publishReplies } from '../../replies.ts';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';
import { openFront, openTenantSite, openWindows } from './open-site.ts';
import { hmacOf, saveChat } from './site.ts';

let services: WebhooksServices;
let front: Awaited<ReturnType<typeof openFront>>;
let shop: Awaited<ReturnType<typeof openTenantSite>>;
let windows: Awaited<ReturnType<typeof openWindows>>;
let bot: Integration;

const words = {
  en: {
    title: 'Garden help',
    greeting: 'Hello! **How can we help?**',
    suggestions: ['Where is my order?', 'Opening hours'],
  },
  ar: { title: 'مساعدة', greeting: 'مرحبا! كيف يمكننا مساعدتك؟' },
};

beforeAll(async () => {
  services = await openWebhooksServices();
  front = await openFront();
  shop = await openTenantSite(front.origin);
  front.use(await startWebhooks(services, { PUBLIC_BASE_URL: front.origin }));
  windows = await openWindows();
  bot = await saveChat(services, { allowedOrigins: [shop.origin], words });
});
afterAll(async () => {
  await windows?.close();
  shop?.close();
  front?.close();
  await closeWebhooksServices(services);
});
beforeEach(() => {
  front.cut(false);
  shop.show(bot.botId);
});

async function openShop(page: Page, address = shop.origin): Promise<void> {
  await page.goto(address);
  await page.locator('.launcher').click();
  await page.getByRole('textbox').waitFor();
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox').fill(text);
  await page.getByRole('textbox').press('Enter');
}

const log = (page: Page) => page.getByRole('log');
const says = async (page: Page, text: string) =>
  await log(page).getByText(text, { exact: true }).last().waitFor();

/** The messages with these words that were admitted. */
async function admitted(text: string) {
  return await eventually('it is admitted', async () => {
    await publishedAll(services);
    const events = (await eventsOf(services.harness, messageReceived)).filter((event) => event.text === text);
    return events.length > 0 && events;
  });
}

async function answer(question: string, text: string, choices?: string[]): Promise<void> {
  const [said] = await admitted(question);
  const conversation = conversationOf(bot, said!.chat.platformChatId);
  await publishReplies(services, conversation.reply(text, { platform: 'webchat', choices }));
}

test('a visitor asks and is answered on a page whose policy allows our origin alone, without a complaint', async () => {
  const page = await windows.newPage();
  await openShop(page);
  await says(page, 'How can we help?');
  await page.getByRole('dialog').getByText('You are talking to an AI. A person may join.').waitFor();
  await page.getByRole('button', { name: 'Opening hours' }).click();
  await says(page, 'Sent');
  await answer(
    'Opening hours',
    'We open at **nine**.\n\n- Monday\n- Tuesday\n\n[Map](https://maps.example/a)',
  );
  await says(page, 'nine');
  expect(await log(page).getByRole('listitem').allTextContents()).toEqual(['Monday', 'Tuesday']);
  expect(await log(page).getByRole('link').getAttribute('href')).toBe('https://maps.example/a');
  expect(windows.complaints).toEqual([]);
  await page.context().close();
});

test('choices stand under an answer until the visitor presses one, which is then their message', async () => {
  const page = await windows.newPage();
  await openShop(page);
  await write(page, 'Can you help me?');
  const evil = '<img src=x onerror="pwn=1">';
  await answer('Can you help me?', 'How?', ['By **mail**', evil, 'بالهاتف']);
  const choices = page.getByRole('group', { name: 'Choose an answer' });
  await choices.getByRole('button', { name: evil }).waitFor();
  expect(await choices.getByRole('button').allTextContents()).toEqual(['By **mail**', evil, 'بالهاتف']);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  expect(violations.filter(({ nodes }) => nodes.some(({ target }) => Array.isArray(target[0])))).toEqual([]);
  await page.reload();
  await openShop(page);
  await choices.getByRole('button', { name: 'By **mail**' }).click();
  await choices.waitFor({ state: 'detached' });
  expect((await admitted('By **mail**')).length).toBe(1);
  expect(await log(page).evaluate((element) => element.matches(':focus'))).toBe(true);
  await answer('By **mail**', 'To which address?', ['/new one', 'Another one']);
  await choices.getByRole('button', { name: '/new one' }).click();
  expect((await admitted('/new one'))[0]?.command).toBeUndefined();
  await answer('/new one', 'And when?', ['Today', 'Tomorrow']);
  await choices.waitFor();
  await write(page, 'To my office');
  await choices.waitFor({ state: 'detached' });
  expect(windows.complaints).toEqual([]);
  await page.context().close();
});

test('the header says who answers: the team while a person handles the chat, after a reload and in a second tab', async () => {
  const page = await windows.newPage();
  await openShop(page);
  await write(page, 'May I speak with a person?');
  const [said] = await admitted('May I speak with a person?');
  const { tenantId, conversationId } = said!;
  const change = (handling: 'bot' | 'person') =>
    services.harness.publish(handlingChanged, { tenantId, conversationId, handling });
  const header = (tab: Page, text: string) => tab.getByRole('dialog').locator('header').getByText(text);
  await change('person');
  await header(page, 'You are talking to our team.').waitFor();
  await page.reload();
  await openShop(page);
  await header(page, 'You are talking to our team.').waitFor();
  const tab = await page.context().newPage();
  await openShop(tab);
  await header(tab, 'You are talking to our team.').waitFor();
  await change('bot');
  for (const one of [page, tab]) await header(one, 'You are talking to an AI.').waitFor();
  await page.context().close();
});

test('hostile answers of a bot stay text', async () => {
  const page = await windows.newPage();
  await openShop(page);
  await write(page, 'Be evil');
  const evil =
    '<img src=x onerror="pwn=1"><script>pwn=1</script> [a](javascript:pwn=1) [b](data:text/html,x) ![c](https://x.example/p.png) <b>d</b>';
  await answer('Be evil', evil);
  await log(page).getByText('<script>pwn=1</script>').waitFor();
  expect(await page.evaluate('typeof pwn')).toBe('undefined');
  expect(await log(page).locator('img, script, b, iframe').count()).toBe(0);
  expect(
    await log(page)
      .getByRole('link')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href'))),
  ).toEqual(['https://x.example/p.png']);
  expect(windows.complaints).toEqual([]);
  await page.context().close();
});

test('the conversation survives a reload, and a second tab shows it with one stream for both', async () => {
  const page = await windows.newPage();
  await openShop(page);
  await write(page, 'Remember me');
  await says(page, 'Sent');
  await page.reload();
  await openShop(page);
  await says(page, 'Remember me');
  const tab = await page.context().newPage();
  await openShop(tab);
  await says(tab, 'Remember me');
  const streams = () => front.requests.filter((one) => one.endsWith('/stream')).length;
  const before = streams();
  await write(tab, 'From the second tab');
  await says(page, 'From the second tab');
  await answer('From the second tab', 'Seen in both');
  await Promise.all([says(page, 'Seen in both'), says(tab, 'Seen in both')]);
  expect(streams()).toBe(before);
  await page.context().close();
});

test('messages that were written offline, before a reload, are sent once each when there is a connection', async () => {
  const page = await windows.newPage();
  await openShop(page);
  await write(page, 'Before');
  await says(page, 'Sent');
  front.cut(true);
  await write(page, 'During one');
  await write(page, 'During two');
  await page.getByText('No connection').waitFor();
  front.cut(false);
  await page.reload();
  await openShop(page);
  expect(await admitted('During one')).toHaveLength(1);
  expect(await admitted('During two')).toHaveLength(1);
  await says(page, 'During two');
  await page.context().close();
});

test('a first message whose answer is lost is sent again, and the conversation is one', async () => {
  const page = await windows.newPage();
  await openShop(page);
  let lost = 0;
  await page.route('**/messages', async (route) => {
    if (lost > 0) return await route.continue();
    lost += 1;
    await route.fetch();
    await route.abort();
  });
  await write(page, 'Is anybody there?');
  await answer('Is anybody there?', 'We are here');
  await says(page, 'We are here');
  expect(lost).toBe(1);
  // Addresses are kept by logs and histories.
  const token: string = await page.evaluate(
    "JSON.parse(Object.entries(localStorage).find(([name]) => name.endsWith(':session'))[1])",
  );
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(front.requests.join(' ')).not.toContain(token);
  expect(await admitted('Is anybody there?')).toHaveLength(1);
  await page.context().close();
});

test('an Enter that ends the composition of a word sends nothing, in Safari as well', async () => {
  const page = await windows.newPage();
  await openShop(page);
  const box = page.getByRole('textbox');
  await box.fill('むずかしい');
  const enter = { key: 'Enter', bubbles: true, cancelable: true };
  await box.dispatchEvent('keydown', { ...enter, isComposing: true });
  await box.dispatchEvent('keydown', { ...enter, keyCode: 229 });
  expect(await box.inputValue()).toBe('むずかしい');
  await box.press('Enter');
  await says(page, 'むずかしい');
  expect(await admitted('むずかしい')).toHaveLength(1);
  await page.context().close();
});

test('the window has no fault that axe finds, and moves nothing for people who want no motion', async () => {
  const page = await windows.newPage({ reducedMotion: 'reduce' });
  await openShop(page);
  await write(page, 'Is it accessible?');
  await answer('Is it accessible?', 'See [the statement](https://shop.example/a) and `code`');
  await says(page, 'the statement');
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  const ofChat = violations.filter(({ nodes }) => nodes.some(({ target }) => Array.isArray(target[0])));
  expect(ofChat.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  const moving = await page.evaluate(
    `document.querySelector('[data-botyard]').shadowRoot.getAnimations().length`,
  );
  expect(moving).toBe(0);
  await page.context().close();
});

test('a page whose body comes late, and one that replaces its body without a reload, keep the chat', async () => {
  const page = await windows.newPage();
  const settings = page.waitForResponse(/settings\.json/).then((response) => response.finished());
  const address = shop.slow(async () => {
    await settings;
    // The script has read them by now.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
  });
  await openShop(page, address);
  await write(page, 'Are you there?');
  await says(page, 'Sent');
  await page.evaluate("document.body.replaceWith(document.createElement('body'))");
  await answer('Are you there?', 'Still here.');
  await says(page, 'Still here.');
  expect(await page.locator('[data-botyard]').count()).toBe(1);
  expect(windows.complaints).toEqual([]);
  await page.context().close();
});

test('in a frame of another site, with cookies blocked, it works as long as the page lives', async () => {
  const page = await windows.newPage();
  await page.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get: () => { throw new DOMException('denied', 'SecurityError'); } });`);
  await page.goto(shop.framing);
  const frame = page.frameLocator('iframe');
  await frame.locator('.launcher').dispatchEvent('click');
  await frame.getByRole('textbox').fill('From a frame');
  await frame.getByRole('textbox').press('Enter');
  await answer('From a frame', 'Hello frame');
  await frame.getByRole('log').getByText('Hello frame').waitFor();
  expect(windows.complaints).toEqual([]);
  await page.context().close();
});

test('a visitor who signs in has a history of their own, and signing out shows nothing of it, in any tab', async () => {
  const page = await windows.newPage();
  await openShop(page);
  await write(page, 'Said as nobody');
  await says(page, 'Sent');
  const identity = { userId: 'anna', hmac: hmacOf('anna') };
  const identify = (to: Page, who: unknown) => to.evaluate(`Botyard.identify(${JSON.stringify(who)})`);
  await identify(page, identity);
  await log(page).getByText('Said as nobody').waitFor({ state: 'detached' });
  await write(page, 'Said as Anna');
  await says(page, 'Sent');
  expect((await admitted('Said as Anna'))[0]?.sender).toMatchObject({ isProven: true, username: 'anna' });
  const tab = await page.context().newPage();
  await openShop(tab);
  expect(await log(tab).getByText('Said as Anna').count()).toBe(0);
  await identify(tab, identity);
  await says(tab, 'Said as Anna');
  await identify(page, null);
  await log(page).getByText('Said as Anna').waitFor({ state: 'detached' });
  await log(tab).getByText('Said as Anna').waitFor({ state: 'detached' });
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('Said as Anna');
  await page.context().close();
});

test('outside of the hours the window says so in the words of the site, and in the hours it does not', async () => {
  const hours = (spans: object[]) => ({
    timeZone: 'Asia/Tokyo',
    days: Object.fromEntries(weekdays.map((day) => [day, spans])),
  });
  const own = { en: { away: 'We are back in the morning. <b>Write</b> to us.' } };
  const open = [{ from: '00:00', to: '24:00' }];
  const allowedOrigins = [shop.origin];
  const chats = {
    away: await saveChat(services, { allowedOrigins, words: own, hours: hours([]) }),
    there: await saveChat(services, { allowedOrigins, words: own, hours: hours(open) }),
  };
  const page = await windows.newPage();
  shop.show(chats.away.botId);
  await openShop(page);
  await page.getByRole('status').getByText(own.en.away).waitFor();
  shop.show(chats.there.botId);
  await openShop(page);
  expect(await page.getByText(own.en.away).count()).toBe(0);
  expect(windows.complaints).toEqual([]);
  await page.context().close();
});

test('on a phone the window covers the page, in the dark and from right to left as well', async () => {
  const phone = {
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    colorScheme: 'dark',
    locale: 'ar',
  } as const;
  const page = await windows.newPage(phone);
  await openShop(page);
  await write(page, 'مرحبا');
  await answer('مرحبا', 'أهلا بك. كيف أساعدك اليوم؟');
  await says(page, 'أهلا بك. كيف أساعدك اليوم؟');
  const box = await page.getByRole('dialog').boundingBox();
  expect(box).toMatchObject({ x: 0, y: 0, width: 390, height: 780 });
  expect(windows.complaints).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.context().close();
});

test('the hosted page is the chat alone, under a policy of its own', async () => {
  const page = await windows.newPage();
  await page.goto(`${front.origin}/chat/${bot.botId}`);
  await page.getByRole('textbox').fill('From the hosted page');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await says(page, 'Sent');
  await answer('From the hosted page', 'Welcome');
  await says(page, 'Welcome');
  expect(windows.complaints).toEqual([]);
  await page.context().close();
});
