import type { LocalInstallation } from '../attack/local-installation.ts';

/** An agent of the demo bot whose one tool belongs to somebody outside, and needs an approval. */
export async function addWeatherAgent(installation: LocalInstallation): Promise<void> {
  await installation.api('PUT', '/api/integrations/access-rules', { effect: 'approval', toolkit: 'weather' });
  const { redirectUrl, state } = await installation.api<{ redirectUrl: string; state: string }>(
    'POST',
    '/api/tools/connect',
    { toolkit: 'weather' },
  );
  await fetch(redirectUrl);
  await installation.api('POST', '/api/tools/verify', { state });
  const tool = await installation.api<{ id: string }>('POST', '/api/definitions/tools', {
    name: 'search_weather',
    description: 'Looks the weather up.',
    kind: 'external',
    settings: { toolkit: 'weather', tool: 'WEATHER_TODAY' },
  });
  const agent = await installation.api<{ id: string }>('POST', '/api/definitions/agents', {
    name: 'Weatherman',
    description: 'Knows the weather.',
    instructions: 'Tell the weather.',
    provider: 'private-llm',
    model: 'sandbox',
    keywords: ['weather'],
    toolIds: [tool.id],
  });
  await giveToDemoBot(installation, agent.id);
}

export async function giveToDemoBot(installation: LocalInstallation, agentId: string): Promise<void> {
  const path = `/api/bots/${installation.demo.tenantId}/${installation.demo.botId}`;
  const { agentIds } = await installation.api<{ agentIds: string[] }>('GET', path);
  await installation.api('PUT', path, { agentIds: [...agentIds, agentId] });
}
