import { messageReceived, replyRated } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversationOf, publishReplies, type Reply } from '../../replies.ts';
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
import { saveChat } from './site.ts';

let services: WebhooksServices;
let front: Awaited<ReturnType<typeof openFront>>;
let shop: Awaited<ReturnType<typeof openTenantSite>>;
let windows: Awaited<ReturnType<typeof openWindows>>;

beforeAll(async () => {
  services = await openWebhooksServices();
  front = await openFront();
  shop = await openTenantSite(front.origin);
  front.use(await startWebhooks(services, { PUBLIC_BASE_URL: front.origin }));
  windows = await openWindows();
});
afterAll(async () => {
  await windows?.close();
  shop?.close();
  front?.close();
  await closeWebhooksServices(services);
});

async function openChat(page: Page): Promise<void> {
  await page.goto(shop.origin);
  await page.locator('.launcher').click();
  await page.getByRole('textbox').waitFor();
}

interface Opening {
  replies?: Partial<Reply>[];
  settings?: Record<string, unknown>;
  context?: BrowserContextOptions;
}

/** A page whose visitor has asked, and got an answer of an agent or other replies. */
async function answeredPage({ replies = [{ isAnswer: true }], settings = {}, context = {} }: Opening = {}) {
  const bot: Integration = await saveChat(services, { allowedOrigins: [shop.origin], ...settings });
  shop.show(bot.botId);
  const page = await windows.newPage(context);
  await openChat(page);
  await page.getByRole('textbox').fill('Are you open?');
  await page.getByRole('textbox').press('Enter');
  const { chat, conversationId } = await eventually('the question is admitted', async () => {
    await publishedAll(services);
    return (await eventsOf(services.harness, messageReceived)).find(({ botId }) => botId === bot.botId);
  });
  const { reply } = conversationOf(bot, chat.platformChatId);
  for (const [at, change] of replies.entries())
    await publishReplies(services, {
      ...reply(`Reply ${at}`, { platform: 'webchat', ...change }),
      conversationId,
    });
  await page.getByText(`Reply ${replies.length - 1}`).waitFor();
  const thumbs = page.getByRole('group', { name: 'Rate this answer' });
  const [up, down] = [
    thumbs.getByRole('button', { name: 'Helpful', exact: true }),
    thumbs.getByRole('button', { name: 'Not helpful' }),
  ];
  const pressed = async () =>
    await Promise.all([up, down].map(async (thumb) => (await thumb.getAttribute('aria-pressed')) === 'true'));
  const isRated = (rating: (string | null)[]) =>
    eventually(`the ratings are ${rating}`, async () => {
      await publishedAll(services);
      const events = await eventsOf(services.harness, replyRated);
      const own = events.filter(({ botId }) => botId === bot.botId).map((event) => event.rating);
      return JSON.stringify(own) === JSON.stringify(rating);
    });
  return { page, thumbs, up, down, pressed, isRated };
}

const violationsIn = async (page: Page) => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations.filter(({ nodes }) => nodes.some(({ target }) => Array.isArray(target[0])));
};

test('a visitor rates an answer with a thumb, changes it and takes it back, and a reload shows the rating', async () => {
  const { page, up, down, pressed, isRated } = await answeredPage();
  expect(await pressed()).toEqual([false, false]);
  await up.click();
  expect(await pressed()).toEqual([true, false]);
  await isRated(['up']);
  await down.click();
  expect(await pressed()).toEqual([false, true]);
  await isRated(['up', 'down']);
  await page.reload();
  await openChat(page);
  await down.waitFor();
  expect(await pressed()).toEqual([false, true]);
  await down.click();
  await isRated(['up', 'down', null]);
  expect(await pressed()).toEqual([false, false]);
  expect(windows.complaints).toEqual([]);
  await page.context().close();
});

test('a browser that has lost its copy of the messages shows the rating that the server has', async () => {
  const { page, up, pressed, isRated } = await answeredPage();
  await up.click();
  await isRated(['up']);
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage))
      if (name.endsWith(':messages')) localStorage.removeItem(name);
  });
  await page.reload();
  await openChat(page);
  await up.waitFor();
  expect(await pressed()).toEqual([true, false]);
  await page.context().close();
});

test('answers of the agent have thumbs, and messages of staff, notices of the bot and the greeting have none', async () => {
  const { page, thumbs } = await answeredPage({
    replies: [{ author: 'staff' }, {}, { isAnswer: true }],
    settings: { words: { en: { greeting: 'Welcome' } } },
  });
  await page.getByText('Welcome').waitFor();
  expect(await thumbs.count()).toBe(1);
  const rated = page.locator('.message', { has: thumbs });
  expect(await rated.locator('.bubble').textContent()).toBe('Reply 2');
  await page.context().close();
});

test('where a bot does not offer thumbs, there are none', async () => {
  const { page, thumbs } = await answeredPage({ settings: { thumbs: 'none' } });
  expect(await thumbs.count()).toBe(0);
  await page.context().close();
});

test('the keyboard reaches and presses the thumbs, the focus stays there, and the answer is not drawn again', async () => {
  const { page, up, pressed } = await answeredPage();
  const bubble = await page.getByText('Reply 0').elementHandle();
  await page.getByRole('textbox').focus();
  await up.focus();
  for (const [key, isPressed] of [
    ['Enter', true],
    ['Space', false],
    ['Space', true],
  ] as const) {
    await page.keyboard.press(key);
    expect(await pressed()).toEqual([isPressed, false]);
    expect(await up.evaluate((element) => element.matches(':focus'))).toBe(true);
  }
  await eventually('the last press is stored', async () => {
    await publishedAll(services);
    return (await eventsOf(services.harness, replyRated)).at(-1)?.rating === 'up';
  });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await pressed()).toEqual([false, true]);
  expect(await bubble!.evaluate((element) => element.isConnected)).toBe(true);
  await page.context().close();
});

test('presses while the first one is on its way end with the last of them', async () => {
  const { page, up, down, pressed } = await answeredPage();
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/ratings', async (route) => {
    await held;
    await route.continue();
  });
  await up.click();
  await down.click();
  await up.click();
  await down.click();
  expect(await pressed()).toEqual([false, true]);
  letGo();
  await eventually('the last press is stored', async () => {
    await publishedAll(services);
    return (await eventsOf(services.harness, replyRated)).at(-1)?.rating === 'down';
  });
  expect(await pressed()).toEqual([false, true]);
  await page.context().close();
});

test('a thumb that the server refuses with 503 stays pressed, and is sent again by itself', async () => {
  const { page, up, pressed, isRated } = await answeredPage();
  let requests = 0;
  await page.route('**/ratings', (route) => {
    requests += 1;
    return requests === 1 ? route.fulfill({ status: 503 }) : route.continue();
  });
  await up.click();
  expect(await pressed()).toEqual([true, false]);
  await isRated(['up']);
  expect(requests).toBe(2);
  expect(await pressed()).toEqual([true, false]);
  expect(await page.getByText('Your rating could not be saved.').count()).toBe(0);
  await page.context().close();
});

test('a rating that can not be stored is shown as it was, with a reason, and works once the server answers', async () => {
  const { page, up, pressed, isRated } = await answeredPage();
  await page.route('**/ratings', (route) => route.fulfill({ status: 503 }));
  await up.click();
  await page.getByText('Your rating could not be saved.').waitFor();
  expect(await pressed()).toEqual([false, false]);
  await page.unroute('**/ratings');
  await up.click();
  await isRated(['up']);
  expect(await pressed()).toEqual([true, false]);
  expect(await page.getByText('Your rating could not be saved.').count()).toBe(0);
  await page.context().close();
});

test.each([
  [
    'on a phone, in light',
    { viewport: { width: 360, height: 640 }, hasTouch: true, colorScheme: 'light' },
    44,
  ],
  ['on a phone, in dark', { viewport: { width: 360, height: 640 }, hasTouch: true, colorScheme: 'dark' }, 44],
  ['on a desk, in light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }, 32],
  ['on a desk, in dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }, 32],
] as const)(
  '%s thumbs are large enough, pressed or not, and nothing breaks a rule of accessibility',
  async (_where, context, size) => {
    const { page, up, down, thumbs } = await answeredPage({ context });
    await down.click();
    for (const thumb of [up, down]) {
      const box = (await thumb.boundingBox())!;
      expect([box.width, box.height]).toEqual([size, size]);
      expect(box.x + box.width).toBeLessThanOrEqual(context.viewport.width);
    }
    expect(await thumbs.getAttribute('aria-live')).toBe('off');
    expect(await violationsIn(page)).toEqual([]);
    await page.context().close();
  },
);
