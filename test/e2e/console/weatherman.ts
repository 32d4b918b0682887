import type { House } from '../attack/house.ts';

/** An agent of the demo bot whose one tool belongs to somebody outside, and needs an approval. */
export async function addWeatherman(house: House): Promise<void> {
  await house.api('PUT', '/api/integrations/access-rules', { effect: 'approval', toolkit: 'weather' });
  const { redirectUrl, state } = await house.api<{ redirectUrl: string; state: string }>(
    'POST',
    '/api/tools/connect',
    { toolkit: 'weather' },
  );
  await fetch(redirectUrl);
  await house.api('POST', '/api/tools/verify', { state });
  const tool = await house.api<{ id: string }>('POST', '/api/definitions/tools', {
    name: 'search_weather',
    description: 'Looks the weather up.',
    kind: 'external',
    settings: { toolkit: 'weather', tool: 'WEATHER_TODAY' },
  });
  const agent = await house.api<{ id: string }>('POST', '/api/definitions/agents', {
    ...{ name: 'Weatherman', description: 'Knows the weather.', instructions: 'Tell the weather.' },
    ...{ provider: 'private-llm', model: 'sandbox', keywords: ['weather'], toolIds: [tool.id] },
  });
  await giveToDemoBot(house, agent.id);
}

export async function giveToDemoBot(house: House, agentId: string): Promise<void> {
  const path = `/api/bots/${house.demo.tenantId}/${house.demo.botId}`;
  const { agentIds } = await house.api<{ agentIds: string[] }>('GET', path);
  await house.api('PUT', path, { agentIds: [...agentIds, agentId] });
}
