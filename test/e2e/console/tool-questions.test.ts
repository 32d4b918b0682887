import { eventually } from '@botyard/testing/eventually';
import { FakeMcpServer } from '@botyard/testing/fake/fake-mcp-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';
import { giveToDemoBot } from './weather-agent.ts';

const server = new FakeMcpServer();
let opened: OpenConsole;
let page: Page;
beforeAll(async () => {
  await server.listen();
  opened = await openConsole({ EGRESS_ALLOWED_HOSTS: server.host });
  page = await opened.newPage();
  await addClerk();
});
afterAll(async () => {
  await opened?.close();
  await server.close();
});

const api = <Result>(method: string, path: string, body?: object): Promise<Result> =>
  opened.installation.api<Result>(method, path, body);

/** An agent of the demo bot with a tool whose server asks in the middle of a call. */
async function addClerk(): Promise<void> {
  const inputSchema = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
  server.tools = [{ name: 'search_cases', description: 'Searches the cases.', inputSchema }];
  const requestedSchema = {
    type: 'object',
    properties: {
      reason: { type: 'string', title: 'Reason', description: 'It is written into the log.', maxLength: 10 },
      year: { type: 'integer', title: 'Year', minimum: 2000 },
      kind: { type: 'string', title: 'Kind', enum: ['o', 'c'], enumNames: ['Open', 'Closed'] },
      areas: { type: 'array', title: 'Areas', items: { type: 'string', enum: ['North', 'South'] } },
      archived: { type: 'boolean', title: 'Also archived ones' },
    },
    required: ['reason', 'kind'],
  };
  const message = 'Each search of cases is recorded. Why do you need it?';
  const why = { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
  server.reply = () =>
    (server.calls.length > 1
      ? { content: [{ type: 'text', text: 'two cases' }] }
      : { resultType: 'input_required', inputRequests: { why }, requestState: 'begun' }) as never;
  const own = '/api/integrations/servers';
  const { serverId } = await api<{ serverId: string }>('POST', own, { name: 'Cases', url: server.url });
  await api('POST', `${own}/${serverId}/refresh`, {});
  const [tool] = await api<{ pin: string }[]>('GET', `${own}/${serverId}/tools`);
  await api('PUT', `${own}/${serverId}/tools/search_cases`, { isAllowed: true, pin: tool?.pin });
  await api('PUT', '/api/integrations/access-rules', { effect: 'allow', toolkit: `mcp-${serverId}` });
  const agent = await api<{ id: string }>('POST', '/api/definitions/agents', {
    name: 'Clerk',
    description: 'Knows the cases.',
    instructions: 'Find cases.',
    provider: 'private-llm',
    model: 'sandbox',
    keywords: ['cases'],
    serverIds: [serverId],
  });
  await giveToDemoBot(opened.installation, agent.id);
}

test('what a server asks in the middle of a call is answered in its chat, and the call goes on', async () => {
  await writeToDemoBot(opened.installation, 'search the cases of Bern');
  const [ticket] = await eventually('the call waits', async () => {
    const tickets = await api<{ chatId: string; ticketId: string }[]>('GET', '/api/integrations/pending');
    return tickets.length > 0 && tickets;
  });
  await openPage(page, `/inbox/${ticket?.chatId}`);
  const approval = page.getByRole('region', { name: /^Approval of .*search_cases/ });
  await approval.getByRole('button', { name: 'Approve' }).click();
  const question = page.getByRole('region', { name: "Question of the tool's server" });
  await question.getByText('Why do you need it?').waitFor();
  await question.getByLabel('Reason').fill('a very long reason');
  await question.getByLabel('Year (optional)').fill('2026');
  await question.getByLabel('Kind').selectOption('Closed');
  await question.getByLabel('South').check();
  await question.getByLabel('Also archived ones (optional)').selectOption('Yes');
  await question.getByRole('button', { name: 'Send answers' }).click();
  await question.getByText('it may be at most 10').waitFor();
  await question.getByLabel('Reason').fill('an audit');
  await question.getByRole('button', { name: 'Send answers' }).click();
  await question.waitFor({ state: 'detached' });
  await eventually('the call was made', async () => {
    const [newest] = await api<{ outcome: string }[]>('GET', '/api/integrations/history');
    return newest?.outcome === 'succeeded';
  });
  const content = { reason: 'an audit', year: 2026, kind: 'c', areas: ['South'], archived: true };
  const calls = server.received.filter(({ method }) => method === 'tools/call');
  expect(calls.map(({ params }) => params?.inputResponses)).toEqual([
    undefined,
    { why: { action: 'accept', content } },
  ]);
  expect(opened.complaints).toEqual([]);
});
