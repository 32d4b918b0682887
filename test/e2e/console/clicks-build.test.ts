import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CountedPage, looks } from './count-clicks.ts';
import {
  chatOfMallory,
  createButton,
  type OpenConsole,
  openConsole,
  writeToDemoBot,
} from './open-console.ts';

let opened: OpenConsole;
beforeAll(async () => {
  opened = await openConsole();
});
afterEach(() => expect(opened.complaints).toEqual([]));
afterAll(() => opened?.close());

const makeAgent = async (name: string): Promise<string> => {
  const agent = { name, instructions: 'First words.', provider: 'private-llm', model: 'sandbox' };
  return (await opened.installation.api<{ id: string }>('POST', '/api/definitions/agents', agent)).id;
};

describe.each(Object.entries(looks))('%s', (look, options) => {
  let counted: CountedPage;
  let page: Page;
  beforeEach(async () => {
    counted = await CountedPage.open(opened, options);
    ({ page } = counted);
  });
  afterEach(() => counted?.close());

  /** One click more leads to pages that aren't among the first ones of a phone. */
  const behindMore = look === 'on a phone' ? 1 : 0;
  const button = (name: string | RegExp) => counted.button(name);

  test('an agent knows more after four clicks from home', async () => {
    const agent = `Reads ${look}`;
    const agentId = await makeAgent(agent);
    await counted.begin('/');
    await counted.goTo('Knowledge');
    await createButton(page, 'New document').click();
    await counted.field('Title').fill(`Hours ${look}`);
    await counted.field('Text').fill(`On Sundays we open at ten, ${look}.`);
    await button('Add document').click();
    await page
      .getByRole('row', { name: new RegExp(`Hours ${look}`) })
      .getByText('ready')
      .waitFor();
    await button(`Let it search them: ${agent}`).click();
    await page.getByText(`${agent} searches the documents.`).first().waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(4 + behindMore);
    const { toolIds } = await opened.installation.api<{ toolIds: string[] }>(
      'GET',
      `/api/definitions/agents/${agentId}`,
    );
    expect(toolIds).toHaveLength(1);
  });

  test('an agent is edited, tried and live after five clicks from home', async () => {
    const agent = `Edited ${look}`;
    const id = await makeAgent(agent);
    await counted.begin('/');
    await counted.goTo('Agents');
    await counted.link(agent).click();
    await counted.field('Instructions').fill('Second words.');
    // A phone has the trial behind a button.
    if (look === 'on a phone') await button('Try').click();
    await counted.field('Message').fill('hello');
    await button('Ask the agent').click();
    await page
      .getByRole('log', { name: 'Trial' })
      .getByText(/begin with: “Second words\./)
      .waitFor();
    await button('Go live').click();
    await button('Go live now').click();
    await page.getByText('Version 2 is live.').waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(5 + behindMore);
    expect(await opened.installation.api('GET', `/api/definitions/agents/${id}`)).toMatchObject({
      instructions: 'Second words.',
    });
  });

  test('an older version of an agent is back after four clicks from home', async () => {
    const agent = `Goes back ${look}`;
    const id = await makeAgent(agent);
    const path = `/api/definitions/agents/${id}`;
    await opened.installation.api('PUT', path, { instructions: 'Second words.' });
    await counted.begin('/');
    await counted.goTo('Agents');
    await counted.link(agent).click();
    await button('Roll back').click();
    await page.getByText('Version 3 is live.').waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(4);
    expect(await opened.installation.api('GET', path)).toMatchObject({ instructions: 'First words.' });
  });

  test('a bot is reached by a web chat after six clicks from home', async () => {
    const { installation } = opened;
    const bot = `Bot ${look}`;
    const { botId } = await installation.api<{ botId: string }>(
      'POST',
      `/api/bots/${installation.demo.tenantId}/bots`,
      { name: bot, agentIds: [installation.demo.agentId] },
    );
    await counted.begin('/');
    await counted.goTo('Bots');
    await page.getByRole('region', { name: 'Bots' }).getByRole('link', { name: bot }).click();
    await button('Connect a channel').click();
    await button(/^Web chat/).click();
    await button('Connect').click();
    await button('Done').click();
    await page.getByText('waiting for the first message', { exact: true }).waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(6 + behindMore);
    const visitor = await fetch(`${installation.gatewayUrl}/chat/${botId}`);
    expect(visitor.status).toBe(200);
  });

  test('a responder is invited after seven clicks from home', async () => {
    const email = `${look.replaceAll(' ', '-')}@people.sandbox.test`;
    await counted.begin('/');
    await counted.goTo('People');
    await counted.link('Invitations').click();
    await createButton(page, 'Invite a person').click();
    await counted.field('Email address').fill(email);
    await counted.choose(
      counted.field('Role'),
      'Responder: answers chats of chosen bots, and sees nothing else',
    );
    await button('Add Demo bot').click();
    await button('Invite').click();
    await page
      .getByRole('row', { name: new RegExp(email) })
      .getByText('responder')
      .waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(7 + behindMore);
  });

  test('a message that failed is answered after two clicks from home', async () => {
    const { installation } = opened;
    const question = `who will answer ${look}?`;
    const setProviders = (from: string, to: string) =>
      installation.asOwner(
        `update agents.agent_definitions set provider = '${to}'
         where provider = '${from}' and tenant_id = '${installation.demo.tenantId}'`,
      );
    await setProviders('private-llm', 'x');
    await writeToDemoBot(installation, question);
    await eventually('it has failed', () => installation.firstOf('/api/interactions/dead-letters'));
    await setProviders('x', 'private-llm');
    await counted.begin('/');
    await counted
      .link(/unanswered message/)
      .first()
      .click();
    await page
      .getByRole('row', { name: new RegExp(look) })
      .getByRole('button', { name: 'Replay' })
      .click();
    await eventually('it is answered', async () =>
      (await (await fetch(chatOfMallory(installation))).text()).includes(`I understood: “${question}”`),
    );
    expect(counted.clicks).toBeLessThanOrEqual(2);
  });
});
