import { eventually } from '@botyard/testing/eventually';
import type { LocalInstallation } from '../attack/local-installation.ts';
import { addTestRun } from './add-test-run.ts';
import { chatOfMallory, writeMail, writeToDemoBot } from './open-console.ts';
import { addWeatherAgent, giveToDemoBot } from './weather-agent.ts';

/**
 * Text that would become more than text if it were put unescaped into HTML, an attribute, a script or a template. It
 * begins with the name of its place.
 */
export const hostile = (of: string): string =>
  `${of} "'><img src=x onerror=pwn=1><script>pwn=1</script>{{7*7}}`;

/** Puts hostile texts wherever people outside, members, models and tools can put any. */
export async function plantHostileTexts(installation: LocalInstallation): Promise<void> {
  await plantTexts(installation);
  await plantApp(installation);
  await plantCallThatWaits(installation);
  await plantToolServer(installation);
  const agentId = await plantDefinitions(installation);
  await plantConversation(installation, agentId);
  await plantTest(installation, agentId);
  await writeMail(installation, { subject: hostile('subject'), text: hostile('mail') });
  // In the form of the identity provider, and of a platform that refuses a message.
  await installation.asOwner(
    `update tenancy.users set name = ${quoted('person')} where idp_user_id = 'user_member'`,
  );
  await installation.asOwner(
    `update agents.messages set status = 'failed', last_error = ${quoted('refusal')} where direction = 'out'
     and message_id = (select max(message_id::text)::uuid from agents.messages where direction = 'out')`,
  );
}

async function plantTest(installation: LocalInstallation, agentId: string): Promise<void> {
  const messages = [{ role: 'user', text: hostile('question') }];
  const testCase = { name: hostile('case'), messages };
  const judge = { rubric: hostile('rubric'), provider: 'private-llm', model: 'sandbox', repeats: 1 };
  await addTestRun(installation, { name: hostile('set'), agentId, testCase, judge });
}

const quoted = (of: string): string => `'${hostile(of).replaceAll("'", "''")}'`;

async function plantDefinitions(installation: LocalInstallation): Promise<string> {
  const { id: toolId } = await installation.api<{ id: string }>('POST', '/api/definitions/tools', {
    name: 'hours',
    kind: 'http_get',
    description: hostile('tool'),
    settings: { hosts: ['x.test'] },
  });
  const { id: capabilityId } = await installation.api<{ id: string }>(
    'POST',
    '/api/definitions/capabilities',
    {
      name: hostile('capability'),
      description: hostile('about'),
      instructions: hostile('how'),
      toolIds: [toolId],
    },
  );
  const agent = await installation.api<{ id: string }>('POST', '/api/definitions/agents', {
    name: hostile('agent'),
    description: hostile('duty'),
    instructions: hostile('instructions'),
    provider: 'private-llm',
    model: 'sandbox',
    toolIds: [toolId],
    capabilityIds: [capabilityId],
  });
  await installation.api('PUT', `/api/definitions/agents/${agent.id}`, { instructions: hostile('changed') });
  await installation.api('POST', `/api/definitions/agents/${agent.id}/publish`);
  return agent.id;
}

/** A server with a tool, as if its list had been read. */
export async function plantToolServer(installation: LocalInstallation): Promise<void> {
  const { serverId } = await installation.api<{ serverId: string }>('POST', '/api/integrations/servers', {
    name: hostile('server'),
    url: 'https://mcp.example.com/mcp',
  });
  const definition = { name: 'planted', description: hostile('offer'), inputSchema: { type: 'object' } };
  await installation.asOwner(
    `insert into agents.server_tools (tenant_id, server_id, name, definition, pin)
     values ('${installation.demo.tenantId}', '${serverId}', 'planted',
       '${JSON.stringify(definition).replaceAll("'", "''")}', repeat('0', 64))`,
  );
}

async function plantTexts(installation: LocalInstallation): Promise<void> {
  const { tenantId, botId } = installation.demo;
  await installation.api('PUT', `/api/bots/tenants/${tenantId}`, { name: hostile('tenant') });
  await installation.api('PUT', `/api/bots/${tenantId}/${botId}`, { name: hostile('bot') });
  await installation.api('POST', '/api/context-sources', {
    title: hostile('document'),
    text: hostile('passage'),
  });
  await installation.api('POST', '/api/interactions/canned-replies', {
    name: 'Hours',
    text: hostile('canned'),
  });
  await installation.api('POST', '/api/auth/policies', {
    name: hostile('policy'),
    description: hostile('why'),
    enabled: false,
    text: `// ${hostile('cedar')}\npermit (principal, action, resource);`,
  });
  await installation.api('POST', '/api/auth/moderation', {
    platform: 'messenger',
    platformUserId: '700000099',
    reason: hostile('reason'),
  });
}

async function plantApp(installation: LocalInstallation): Promise<void> {
  const { botId } = installation.demo;
  const install = { templateId: 'support-desk', botId };
  const { appId } = await installation.api<{ appId: string }>('POST', '/api/admin/apps/install', install);
  await installation.api('PUT', `/api/admin/apps/${appId}`, { name: hostile('app') });
  await installation.api('POST', `/api/admin/apps/${appId}/records`, {
    type: 'ticket',
    fields: { subject: hostile('record'), urgency: 'low' },
  });
  // Its bots answer to their own agents again.
  const bindings = await installation.api<{ bindingId: string }[]>(
    'GET',
    `/api/admin/apps/${appId}/bindings`,
  );
  for (const { bindingId } of bindings)
    await installation.api('DELETE', `/api/admin/apps/${appId}/bindings/${bindingId}`);
}

/** A call of a tool of others, with arguments that a model has made up. */
async function plantCallThatWaits(installation: LocalInstallation): Promise<void> {
  await addWeatherAgent(installation);
  await writeToDemoBot(installation, hostile('search the weather of'), hostile('name'));
  await eventually('the call waits', async () => await installation.firstOf('/api/integrations/pending'));
}

/** Messages, answers, a message that nobody could answer, and a file with a name of its own. */
async function plantConversation(installation: LocalInstallation, agentId: string): Promise<void> {
  await giveToDemoBot(installation, agentId);
  const said = async () => (await fetch(chatOfMallory(installation))).text();
  await writeToDemoBot(installation, hostile('message'), hostile('name'));
  await writeToDemoBot(installation, 'a hostile answer', hostile('name'));
  await eventually('it is answered', async () => (await said()).includes('A word without an end'));
  const setProvider = (from: string, to: string) =>
    installation.asOwner(
      `update agents.agent_definitions set provider = '${to}'
       where provider = '${from}' and tenant_id = '${installation.demo.tenantId}'`,
    );
  await setProvider('private-llm', 'x');
  await writeToDemoBot(installation, hostile('letter'), hostile('name'));
  await eventually(
    'it could not be answered',
    async () => await installation.firstOf('/api/interactions/dead-letters'),
  );
  await setProvider('x', 'private-llm');
}
