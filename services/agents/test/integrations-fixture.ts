import { eventually } from '@botyard/testing/eventually';
import { type FakeTools, startFakeTools } from '@botyard/testing/fake/fake-tools';
import { contentText, type ModelRequest } from '@botyard/testing/fake-model';
import type { Answer } from '@botyard/testing/test-call';
import { type AgentsServices, Chat, openAgentsServices, type TestBot } from './agents-services.ts';
import { addTool, call, equippedBot } from './answering/domain/loop/equipped.ts';

export interface IntegrationsFixture extends AgentsServices {
  tools: FakeTools;
  env: Record<string, string>;
}

export const toolEnv = (tools: FakeTools): Record<string, string> => ({
  TOOL_INTEGRATIONS_ENABLED: 'true',
  TOOL_INTEGRATIONS_API_URL: tools.url,
  TOOL_INTEGRATIONS_API_KEY: tools.apiKey,
});

/** The agents' services with a provider of external tools. */
export async function openIntegrationsFixture(): Promise<IntegrationsFixture> {
  const tools = await startFakeTools();
  const env = toolEnv(tools);
  const services = await openAgentsServices(env);
  const close = async () => {
    await services.close();
    await tools.close();
  };
  return { ...services, tools, env, close };
}

type People = IntegrationsFixture['acme'];

/** A call as a tenant's admin. */
export const asAdmin = (
  { agents, acme }: Pick<IntegrationsFixture, 'agents' | 'acme'>,
  method: string,
  path: string,
  body?: unknown,
  people: People = acme,
): Promise<Answer> =>
  agents.call(method, path, { as: people.admin, ...(body === undefined ? {} : { body }) });

/** An account that a tenant's admin has connected. */
export async function connectAccount(
  fixture: IntegrationsFixture,
  toolkit: string,
  people: People = fixture.acme,
): Promise<string> {
  const begun = await asAdmin(fixture, 'POST', '/api/tools/connect', { toolkit }, people);
  const [account] = [...fixture.tools.accounts.values()].slice(-1);
  fixture.tools.settle(account?.id ?? '');
  const { state, connectionId } = begun.body;
  const { body, status, text } = await asAdmin(fixture, 'POST', '/api/tools/verify', { state }, people);
  if (status !== 200 || body.status !== 'active') throw new Error(`not connected: ${status} ${text}`);
  return connectionId;
}

export async function putRule(
  fixture: IntegrationsFixture,
  rule: object,
  people: People = fixture.acme,
): Promise<Answer['body']> {
  const { status, body, text } = await asAdmin(
    fixture,
    'PUT',
    '/api/integrations/access-rules',
    rule,
    people,
  );
  if (status !== 200) throw new Error(`no rule: ${status} ${text}`);
  return body;
}

let count = 0;

export interface ToolBot extends TestBot {
  toolId: string;
  /** The name by which the model calls it. */
  name: string;
}

/** A bot whose agent has one external tool. */
export async function botWithTool(
  fixture: IntegrationsFixture,
  settings: { toolkit: string; tool: string; connectionId?: string },
): Promise<ToolBot> {
  count += 1;
  const name = `tool_${count}`;
  const toolId = await addTool(fixture, { name, kind: 'external', settings });
  const bot = await equippedBot(fixture, {}, { toolIds: [toolId] });
  return { ...bot, toolId, name };
}

/** Whether a model is told about a call that was approved: such a message begins with this. */
export const isAboutApproval = (request: ModelRequest): boolean =>
  lastText(request).includes('that you asked for was approved');

export const lastText = (request: ModelRequest): string => contentText(request.messages.at(-1)!);

/** The model calls the tool for every question of a person, and repeats the result. */
export function callsTool({ model }: AgentsServices, name: string, args: Record<string, unknown>): void {
  model.replyWith((request) => {
    const said = lastText(request);
    if (isAboutApproval(request)) return `told: ${said}`;
    return request.messages.at(-1)?.role === 'tool' ? `got: ${said}` : call(name, args);
  });
}

/** Says something, and waits until the call waits for its approval. */
export async function park(
  fixture: IntegrationsFixture,
  bot: TestBot,
  chat = new Chat(fixture, bot),
): Promise<{ chat: Chat; ticketId: string }> {
  const before = (await chat.replies()).length;
  await chat.say('do it');
  const texts = await chat.answers(before + 1);
  if (!texts.at(-1)?.includes('needs an approval')) throw new Error(`it does not wait: ${texts.at(-1)}`);
  const [ticket] = await fixture.harness.asOwner<{ ticket_id: string }>(
    `select ticket_id from agents.tool_tickets where conversation_id = $1 and status = 'pending' order by ticket_id desc`,
    [chat.conversationId],
  );
  return { chat, ticketId: ticket?.ticket_id ?? '' };
}

export const decide = (
  fixture: Pick<IntegrationsFixture, 'agents' | 'acme'>,
  ticketId: string,
  what: 'approve' | 'reject',
  body?: object,
): Promise<Answer> => asAdmin(fixture, 'POST', `/api/integrations/pending/${ticketId}/${what}`, body);

/** The ticket, once it has ended. */
export async function ended(
  fixture: Pick<IntegrationsFixture, 'agents' | 'acme'>,
  ticketId: string,
): Promise<Answer['body']> {
  const open = ['pending', 'approved', 'executing'];
  return await eventually('the ticket has ended', async () => {
    const { body } = await asAdmin(fixture, 'GET', `/api/integrations/pending/${ticketId}`);
    return !open.includes(body.status) && body;
  });
}
