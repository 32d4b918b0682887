import { contentText, type ModelRequest } from '@botyard/testing/fake-model';
import { type AgentsServices, type Chat, createAgent, createBot, question } from '../../agents-services.ts';

/** A bot with three agents, each of which says who it is. */
export interface Team {
  botId: string;
  tenantId: string;
  agentIds: string[];
  sales: string;
  repair: string;
  billing: string;
}

export async function createTeam(services: AgentsServices): Promise<Team> {
  services.model.replyWith((request) => `${speaker(request)}: ${question(request)}`);
  const [sales, repair, billing] = await Promise.all([
    createAgent(services, services.acme, { name: 'Sales', instructions: 'Sales', keywords: ['price'] }),
    createAgent(services, services.acme, { name: 'Repair', instructions: 'Repair', keywords: ['broken'] }),
    createAgent(services, services.acme, { name: 'Billing', instructions: 'Billing', keywords: ['refund'] }),
  ]);
  const bot = await createBot(services, services.acme, { agentIds: [sales, repair, billing] });
  await services.harness.settled('agents', 'tenancy');
  return { ...bot, sales, repair, billing };
}

const speaker = ({ messages }: ModelRequest): string => contentText(messages[0]!);

/** The record of triage of a chat's last turn. */
export async function lastTriage(services: AgentsServices, chat: Chat) {
  const rows = await services.harness.asOwner<{ triage: { rule: string; agentId: string } }>(
    'select triage from agents.turns where conversation_id = $1 order by turn_id desc limit 1',
    [chat.conversationId],
  );
  return rows[0]?.triage;
}
