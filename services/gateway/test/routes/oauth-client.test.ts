import { afterEach, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

test('authorization servers of MCP servers read who Botyard is, without signing in', async () => {
  gateway = await startGateway({ PUBLIC_BASE_URL: 'https://bots.example.com' });
  const response = await fetch(`${gateway.url}/oauth/client.json`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    client_id: 'https://bots.example.com/oauth/client.json',
    redirect_uris: ['https://bots.example.com/oauth/callback'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  });
});

test('nothing else beneath /oauth exists', async () => {
  gateway = await startGateway();
  for (const path of [
    '/oauth',
    '/oauth/callback/x',
    '/oauth/connect',
    '/oauth/connect/',
    '/oauth/other',
    '/oauth/client.json/x',
  ])
    expect((await fetch(`${gateway.url}${path}`)).status, path).toBe(404);
});
