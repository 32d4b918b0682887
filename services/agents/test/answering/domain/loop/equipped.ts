import { randomUUID } from 'node:crypto';
import { turnCompleted } from '@botyard/contracts/events/agents';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import type { ToolCall } from '@botyard/testing/fake-model';
import { type AgentsServices, Chat, createAgent, createBot, type TestBot } from '../../../agents-services.ts';

export interface TestTool {
  name: string;
  kind: string;
  settings?: Record<string, unknown>;
}

/** A tool of the tenant, as the definitions keep it. */
export async function addTool(
  { harness, acme }: AgentsServices,
  { name, kind, settings = {} }: TestTool,
): Promise<string> {
  const id = randomUUID();
  await harness.asOwner(
    `insert into agents.tool_definitions (tenant_id, id, name, description, kind, settings) values ($1, $2, $3, '', $4, $5)`,
    [acme.tenantId, id, name, kind, settings],
  );
  return id;
}

export async function addCapability(
  { harness, acme }: AgentsServices,
  { name, instructions, toolIds }: { name: string; instructions: string; toolIds: string[] },
): Promise<string> {
  const id = randomUUID();
  await harness.asOwner(
    `insert into agents.capability_definitions (tenant_id, id, name, description, instructions, keywords, tool_ids)
     values ($1, $2, $3, '', $4, '{}', $5)`,
    [acme.tenantId, id, name, instructions, toolIds],
  );
  return id;
}

/** A bot whose only agent has these tools and capabilities. */
export async function equippedBot(
  services: AgentsServices,
  body: Record<string, unknown>,
  {
    toolIds = [],
    capabilityIds = [],
    ...ofBot
  }: { toolIds?: string[]; capabilityIds?: string[]; answerDeadlineSeconds?: number },
): Promise<TestBot> {
  const agentId = await createAgent(services, services.acme, body);
  await services.harness.asOwner(
    'update agents.agent_definitions set tool_ids = $2, capability_ids = $3 where id = $1',
    [agentId, toolIds, capabilityIds],
  );
  return await createBot(services, services.acme, { ...ofBot, agentIds: [agentId] });
}

export const call = (name: string, args: ToolCall['arguments']): { toolCalls: ToolCall[] } => ({
  toolCalls: [{ name, arguments: args }],
});

interface TurnRow {
  outcome: string;
  failure: string | null;
  key_id: string | null;
  input_tokens: number;
  output_tokens: number;
  is_estimated: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the columns are what is tested
  tool_calls: any[];
  // biome-ignore lint/suspicious/noExplicitAny: the columns are what is tested
  key_attempts: any[];
  // biome-ignore lint/suspicious/noExplicitAny: the columns are what is tested
  context: any;
}

/** One message, its one reply, and the record of the turn, which the event agrees with. */
export async function ask(
  services: AgentsServices,
  bot: TestBot,
  text = 'hello',
  change: Partial<InboundMessage> = {},
): Promise<{ reply: string; turn: TurnRow }> {
  const chat = new Chat(services, bot);
  await chat.say(text, change);
  const [reply = ''] = await chat.answers(1);
  await chat.isIdle();
  const [turn, ...more] = await services.harness.asOwner<TurnRow>(
    'select * from agents.turns where conversation_id = $1',
    [chat.conversationId],
  );
  const events = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where subject like $1',
    [`%.event.${turnCompleted.name}.%.${chat.conversationId}`],
  );
  const [event] = events.map(({ data }) => turnCompleted.schema.parse(JSON.parse(data)));
  const counted = [event?.toolCalls, event?.inputTokens, event?.outputTokens];
  const recorded = [turn?.tool_calls.length, turn?.input_tokens, turn?.output_tokens];
  if (!turn || more.length > 0 || counted.join() !== recorded.join())
    throw new Error(`the record is not what was counted: ${counted.join()} and ${recorded.join()}`);
  return { reply, turn };
}
