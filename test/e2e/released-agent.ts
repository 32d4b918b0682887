import { eventually } from '@botyard/testing/eventually';
import type { LocalInstallation } from './attack/local-installation.ts';
import { giveToDemoBot } from './console/weather-agent.ts';

const agents = '/api/definitions/agents';

/** The words with which people reach the agent, and which make its second version hand them over. */
export const wordsForColleague = 'search a colleague for me';

/**
 * An agent of the demo bot whose second version can hand chats over to a person. The live version, the third, can't.
 */
export async function addAgentOfTwoMinds(installation: LocalInstallation, name: string): Promise<string> {
  const { id } = await installation.api<{ id: string }>('POST', agents, {
    name,
    instructions: 'Help with lamps.',
    provider: 'private-llm',
    model: 'sandbox',
    keywords: ['colleague'],
  });
  const tool = await installation.api<{ id: string }>('POST', '/api/definitions/tools', {
    name: `search_${name.toLowerCase().replaceAll(' ', '_')}`,
    kind: 'hand_over',
  });
  await installation.api('PUT', `${agents}/${id}`, { toolIds: [tool.id] });
  await installation.api('POST', `${agents}/${id}/versions/1/restore`, {});
  await giveToDemoBot(installation, id);
  return id;
}

/** So many people write to the demo bot, one chat each, until the agent's release has all of these sessions. */
export async function answerSessions(
  installation: LocalInstallation,
  { agentId, people }: { agentId: string; people: number },
): Promise<void> {
  for (let person = 1; person <= people; person += 1) {
    const chat = `${installation.sandboxUrl}/api/bots/botyard_demo_bot/chats/${710_000_000 + person}/messages`;
    const answer = await fetch(chat, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: wordsForColleague, name: `Person ${person}` }),
    });
    if (answer.status !== 201) throw new Error(`the sandbox took no message: ${answer.status}`);
  }
  await eventually('every session is answered', async () => {
    const release = await installation.firstOf(`${agents}/${agentId}/releases`);
    const { candidate, live } = release!.sessions as { candidate: number; live: number };
    return candidate + live === people;
  });
}

/**
 * Lets the sessions of all releases have begun in one hour of yesterday, so that their outcomes are decided. The sweep
 * finds sessions by the identifiers of their turns, which stay, so it is given these sessions.
 */
export async function moveClocksOfSessions(installation: LocalInstallation): Promise<void> {
  const yesterday = (column: string) =>
    `date_trunc('hour', now()) - interval '26 hours' + (${column} - date_trunc('hour', ${column}))`;
  await installation.asOwner(
    `update agents.turns t set created_at = ${yesterday('t.created_at')}
     from agents.release_sessions s where s.tenant_id = t.tenant_id and s.session_id = t.session_id`,
  );
  await installation.asOwner(`update agents.release_sessions set began_at = ${yesterday('began_at')}`);
  await installation.asOwner(
    `insert into agents.session_outcomes
       (tenant_id, session_id, agent_id, agent_version, conversation_id, bot_id, platform, person_id, began_at, due_at)
     select distinct on (s.session_id, t.agent_id)
       t.tenant_id, s.session_id, t.agent_id, t.agent_version, c.conversation_id, c.bot_id, c.platform, s.person_id,
       s.began_at, now()
     from agents.release_sessions s
     join agents.turns t on t.tenant_id = s.tenant_id and t.session_id = s.session_id
     join agents.conversations c on c.tenant_id = t.tenant_id and c.conversation_id = t.conversation_id
     order by s.session_id, t.agent_id, t.turn_id
     on conflict do nothing`,
  );
}
