import { createServer, type Server } from 'node:http';
import { readConfig } from '@botyard/shared/config/config';
import { providerAddressSettings } from '@botyard/shared/config/provider-addresses';
import { listenOn } from '@botyard/shared/http/server';
import { createLog } from '@botyard/shared/log/log';
import { Problems } from '@botyard/shared/system/problems';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createAddressWatch } from '../../../src/models/clients/address-watch.ts';
import { checkModelAddresses } from '../../../src/models/clients/check-addresses.ts';

/** Serves models under /v1, as most servers do; under /keyed with a key, and under /bare without a version. */
const server: Server = createServer((req, res) => {
  const path = req.url ?? '';
  if (path === '/v1/models' || path === '/bare/models') res.end('{"object":"list","data":[]}');
  else if (path === '/keyed/v1/models') res.writeHead(401).end('{"error":{"message":"no key"}}');
  else res.writeHead(404).end('404 page not found');
});
let url: string;
beforeAll(async () => {
  url = `http://127.0.0.1:${await listenOn(server, '127.0.0.1', 0)}`;
});
afterAll(() => server.close());

const newProblems = () => new Problems({ log: createLog('test', 'silent') });

async function check(address: string) {
  const problems = newProblems();
  const addresses = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com' };
  await checkModelAddresses({ ...addresses, 'private-llm': address }, problems);
  return problems.list().map(({ setting, problem }) => `${setting}: ${problem}`);
}

test('an address without its version is named at the start, also when the server asks for a key', async () => {
  for (const address of [url, `${url}/keyed`])
    expect(await check(address)).toEqual([
      expect.stringContaining(`PRIVATE_LLM_BASE_URL: the server at ${address} answers 404`),
    ]);
  expect((await check(url))[0]).toContain(`${url}/v1`);
});

test('a right address, one without a version that serves models, and one that nobody knows are not named', async () => {
  for (const path of ['/v1', '/bare', '/unknown']) expect(await check(`${url}${path}`)).toEqual([]);
});

test('a server that does not answer at the start is named with the reason', async () => {
  const closed = createServer();
  const port = await listenOn(closed, '127.0.0.1', 0);
  await new Promise((resolve) => closed.close(resolve));
  expect(await check(`http://127.0.0.1:${port}`)).toEqual([
    expect.stringMatching(/PRIVATE_LLM.*ECONNREFUSED/),
  ]);
});

const refusals: [string, number, string, boolean][] = [
  ['a plain server', 404, '404 page not found', true],
  ['vLLM', 404, '{"detail":"Not Found"}', true],
  ['OpenAI', 404, '{"error":{"message":"Invalid URL (POST /chat/completions)","code":null}}', true],
  ['nginx', 404, '<html><head><title>404 Not Found</title></head><body>nginx</body></html>', true],
  ['a server for pages', 405, 'Method Not Allowed', true],
  ['OpenAI, without the model', 404, '{"error":{"message":"The model `x` does not exist"}}', false],
  ['Ollama, without the model', 404, '{"error":"model \\"x\\" not found, try pulling it first"}', false],
  ['Anthropic, without the model', 404, '{"type":"error","error":{"message":"model: claude-x"}}', false],
  ['a refused key', 401, 'no', false],
];
test.each(refusals)(
  'a refusal of %s (%d) is about the address exactly if it names no model',
  (_name, status, text, isOfAddress) => {
    const problems = newProblems();
    const watch = createAddressWatch(problems, { openai: url });
    watch.refused('openai', url, { status, text });
    expect(problems.list().length > 0).toBe(isOfAddress);
    watch.answered('openai', url);
    expect(problems.list()).toEqual([]);
  },
);

test("a tenant's own address is not a problem of the operator's settings", () => {
  const problems = newProblems();
  const watch = createAddressWatch(problems, { 'private-llm': url });
  watch.refused('private-llm', 'https://llm.tenant.example', { status: 404, text: 'Not Found' });
  expect(problems.list()).toEqual([]);
});

test('an address with the path of a call, spaces, a slash or capitals means the base address', () => {
  const schema = z.object(providerAddressSettings);
  const read = (env: Record<string, string>) => readConfig(schema, env);
  for (const text of [
    'https://LLM.acme.example/v1/',
    ' https://llm.acme.example/v1\n',
    'https://llm.acme.example:443/v1/chat/completions',
    'https://llm.acme.example/v1/models/',
  ])
    expect(read({ OPENAI_BASE_URL: text }).OPENAI_BASE_URL).toBe('https://llm.acme.example/v1');
  for (const text of [
    'https://api.anthropic.com/v1',
    'https://api.anthropic.com/v1/messages',
    'https://api.anthropic.com/',
  ])
    expect(read({ ANTHROPIC_BASE_URL: text }).ANTHROPIC_BASE_URL).toBe('https://api.anthropic.com');
});
