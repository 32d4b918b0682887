import { createServer } from 'node:http';
import { listenOn } from '@botyard/shared/http/server';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

/** A model server that has its API under /v1 only. */
const modelServer = createServer((req, res) => {
  res.writeHead(req.url === '/v1/models' ? 200 : 404).end('{}');
});
let services: TenancyServices;
let address: string;
beforeAll(async () => {
  services = await openTenancyServices();
  address = `http://127.0.0.1:${await listenOn(modelServer, '127.0.0.1', 0)}`;
  await services.harness.startProcess('agents', { PRIVATE_LLM_BASE_URL: address });
});
afterAll(async () => {
  await services?.close();
  modelServer.close();
});

test('an address without its version stands in the status of the configuration from the start on, with what to do', async () => {
  const problems = await eventually('the problem is shown', async () => {
    const { body } = await services.tenancy.call('GET', '/api/config/status', { as: services.acme.operator });
    return body.problems.length > 0 && body.problems;
  });
  expect(problems).toEqual([
    {
      serviceName: 'agents',
      setting: 'PRIVATE_LLM_BASE_URL',
      problem: expect.stringContaining(`${address}/v1`),
      since: expect.any(String),
    },
  ]);
});
