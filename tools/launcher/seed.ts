import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeJson } from './processes/run-file.ts';
import { type Api, createApi } from './seed-api.ts';
import { seedPeople } from './seed-people.ts';
import { connectChannels } from './seeds/channels.ts';
import { demoAddress, integrateMailbox, routeMail } from './seeds/email.ts';
import { integrateBot } from './seeds/messenger.ts';
import { mailFake } from './settings/fakes.ts';

const DemoBot = z.object({
  tenantId: z.string(),
  botId: z.string(),
  agentId: z.string(),
  integrationId: z.string(),
  name: z.string(),
  /** The bot's username on the sandbox messenger. */
  username: z.string(),
  messengerBotId: z.string(),
  /** The bot's mailbox at the sandbox mailer. `null` if the mailer did not run. */
  address: z.string().nullable(),
  /** True if the people of the sandbox's identity provider have their roles. */
  hasPeople: z.boolean().default(false),
  /** The further channels that it was connected to. */
  channels: z.array(z.string()).default([]),
});
export type DemoBot = z.output<typeof DemoBot>;

const Tenant = z.object({ tenantId: z.string(), name: z.string() });
const Bot = z.object({ botId: z.string(), name: z.string() });
const Definition = z.object({ id: z.string(), name: z.string() });

const username = 'botyard_demo_bot';
const demoName = 'Demo bot';
const model = { provider: 'private-llm', model: 'sandbox' };
/** Three agents show the routing of messages. The first is the bot's default. */
const demoAgents = [
  {
    ...model,
    name: 'Guide',
    description: 'Welcomes newcomers and answers what Botyard is.',
    instructions:
      'You are the guide of Botyard, a service that hosts chat bots for many tenants. Answer shortly and kindly, in the language of the question.',
    tools: ['offer_choices'],
    keywords: ['hello', 'help', 'guide', 'botyard'],
  },
  {
    ...model,
    name: 'Support',
    description: 'Helps customers with orders, deliveries and refunds.',
    instructions: 'You are the support desk of a harbour. Ask for the number of the order first.',
    tools: [],
    keywords: ['order', 'delivery', 'refund', 'invoice', 'broken', 'late'],
  },
  {
    ...model,
    name: 'Numbers',
    description: 'Calculates, and knows the time.',
    instructions: 'You are good with numbers. Use the calculator for every sum, and show how you got there.',
    tools: ['calculator', 'current_time'],
    keywords: ['calculate', 'calculator', 'sum', 'percent', 'price', 'plus', 'times', 'time', 'date'],
  },
];

interface DemoOptions {
  dataDir: string;
  botToken: string;
  sandboxUrl: string;
  /** The address at which the sandbox's mailer reaches the gateway. Defaults to the gateway's own address. */
  webhookBaseUrl?: string;
  /** The sandbox's address for browsers. Defaults to `sandboxUrl`. */
  sandboxPageUrl?: string;
  /** The platforms that the sandbox plays. */
  fakes: ReadonlySet<string>;
}

/**
 * Returns the demo of an earlier start, or creates one. Routes its email to this gateway, and connects its channels.
 */
export async function keepDemo(gatewayUrl: string, options: DemoOptions): Promise<DemoBot> {
  const { dataDir, fakes, sandboxUrl, botToken, webhookBaseUrl = gatewayUrl } = options;
  const { sandboxPageUrl = sandboxUrl } = options;
  const hasMailer = fakes.has(mailFake);
  const seededBot = readDemoBot(dataDir);
  const isWhole = seededBot && (seededBot.address !== null || !hasMailer);
  const demo = isWhole ? seededBot : await seedDemo(gatewayUrl, options);
  if (!demo.hasPeople) demo.hasPeople = await seedPeople(gatewayUrl, { sandboxUrl, tenantId: demo.tenantId });
  const { tenantId, botId } = demo;
  const sandbox = createApi(sandboxUrl);
  if (hasMailer) await routeMail(sandbox, { webhookBaseUrl, botId, botToken });
  const api = createApi(gatewayUrl);
  const path = integrationsOf(tenantId, botId);
  const place = { api, sandbox, sandboxUrl: sandboxPageUrl, path, botId, webhookBaseUrl };
  demo.channels = await connectChannels(place, { fakes, connected: demo.channels });
  writeJson(join(dataDir, 'demo.json'), demo);
  return demo;
}

/** Returns the demo of an earlier start if it was completed. */
function readDemoBot(dataDir: string): DemoBot | undefined {
  const file = join(dataDir, 'demo.json');
  if (!existsSync(file)) return undefined;
  const demoBot = DemoBot.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return demoBot.success ? demoBot.data : undefined;
}

/**
 * Names a bot at the sandbox messenger, then creates a demo tenant with agents, a bot and integrations through the
 * public API, like any client. Every step reuses existing objects, so that the next start completes an interrupted one.
 */
async function seedDemo(
  gatewayUrl: string,
  { dataDir, botToken, sandboxUrl, fakes }: DemoOptions,
): Promise<DemoBot> {
  const hasMailer = fakes.has(mailFake);
  await createApi(sandboxUrl).post('/api/bots', { token: botToken, username, name: demoName }, z.unknown());
  const api = createApi(gatewayUrl);
  const tenants = await api.list('/api/bots/tenants', Tenant);
  const { tenantId } =
    tenants.find(({ name }) => name === 'Demo') ??
    (await api.post('/api/bots/tenants', { name: 'Demo' }, Tenant));
  await api.post('/api/tenant/select', { tenantId }, z.unknown());
  const agentIds = await defineAgents(api);
  const { bots } = await api.get(`/api/bots/tenants/${tenantId}`, z.object({ bots: z.array(Bot) }));
  const newBot = { name: demoName, agentIds, joinWindowMs: 0 };
  const bot =
    bots.find(({ name }) => name === newBot.name) ??
    (await api.post(`/api/bots/${tenantId}/bots`, newBot, Bot));
  const path = integrationsOf(tenantId, bot.botId);
  const integrationId = await integrateBot(api, { path, botToken, username });
  if (hasMailer) await integrateMailbox(api, { path, botToken });
  const [messengerBotId = ''] = botToken.split(':');
  const demo = {
    tenantId,
    botId: bot.botId,
    agentId: agentIds[0] ?? '',
    integrationId,
    name: newBot.name,
    username,
    messengerBotId,
    address: hasMailer ? demoAddress : null,
    hasPeople: false,
    channels: [],
  };
  writeJson(join(dataDir, 'demo.json'), demo);
  return demo;
}

const integrationsOf = (tenantId: string, botId: string): string =>
  `/api/bots/${tenantId}/${botId}/integrations`;

/** Creates the demo agents. Returns their IDs in the order of `demoAgents`. */
async function defineAgents(api: Api): Promise<string[]> {
  const definitions = await api.list('/api/definitions/agents', Definition);
  await api.post('/api/definitions/tools/sync', undefined, z.unknown());
  const tools = await api.list('/api/definitions/tools', Definition);
  const ids: string[] = [];
  for (const { tools: names, ...agent } of demoAgents) {
    const toolIds = tools.filter(({ name }) => names.includes(name)).map(({ id }) => id);
    const definition = definitions.find(({ name }) => name === agent.name);
    ids.push(
      (definition ?? (await api.post('/api/definitions/agents', { ...agent, toolIds }, Definition))).id,
    );
  }
  return ids;
}
