import { randomUUID } from 'node:crypto';
import type { People } from '@botyard/testing/people';
import type { ServiceHarness, TestService } from '@botyard/testing/service-harness';

/**
 * An account that was begun, a group of tools, an MCP server with a person's account, a call that waits for its
 * approval; and the name of a toolkit.
 */
export async function createToolResources(
  harness: ServiceHarness,
  agents: TestService,
  { tenantId, admin: as, personId }: Pick<People, 'tenantId' | 'admin'> & { personId: string },
): Promise<Record<'connectionId' | 'accessGroupId' | 'serverId' | 'ticketId' | 'name', string>> {
  const begun = await agents.call('POST', '/api/tools/connect', { as, body: { toolkit: 'weather' } });
  const group = { name: `n-${randomUUID()}`, kind: 'tools', members: [] };
  const made = await agents.call('PUT', '/api/integrations/groups', { as, body: group });
  const server = { name: `n-${randomUUID()}`, url: 'https://mcp.example.com/mcp' };
  const added = await agents.call('POST', '/api/integrations/servers', { as, body: server });
  if (begun.status !== 201 || made.status !== 200 || added.status !== 201)
    throw new Error(`${begun.text} ${made.text} ${added.text}`);
  const ticketId = randomUUID();
  await harness.asOwner(
    `insert into agents.tool_tickets (tenant_id, ticket_id, status, conversation_id, bot_id, agent_id, tool_id, tool_name,
       toolkit, tool, arguments, arguments_hash, requesters, requester_ids, expires_at, next_at)
     values ($1, $2, 'pending', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'look',
       'weather', 'WEATHER_TODAY', '{}', '', '[]', '{}', now() + interval '1 day', now() + interval '1 day')`,
    [tenantId, ticketId],
  );
  const { connectionId } = begun.body;
  const [{ accessGroupId }, { serverId }] = [made.body, added.body];
  await harness.asOwner(
    `insert into agents.server_grants (tenant_id, grant_id, server_id, person_id, platform, platform_user_id, person_name,
       issuer, sealed_grant, updated_at)
     values ($1, gen_random_uuid(), $2, $3, 'messenger', '1', 'Ann', 'https://as.example.com', '', now())`,
    [tenantId, serverId, personId],
  );
  return { connectionId, accessGroupId, serverId, ticketId, name: 'weather' };
}
