import { type FakeTools, startFakeTools } from '@botyard/testing/fake/fake-tools';
import { type FakeModel, startFakeModel } from '@botyard/testing/fake-model';
import { afterAll, beforeAll } from 'vitest';
import { agentsTables } from './cases/agents.ts';
import { checkContracts } from './support/check-contracts.ts';
import { ServiceUnderTest } from './support/service-under-test.ts';

let model: FakeModel;
let tools: FakeTools;
let sut: ServiceUnderTest;

beforeAll(async () => {
  model = await startFakeModel();
  tools = await startFakeTools();
  sut = await ServiceUnderTest.open('agents', {
    OPENAI_BASE_URL: model.url,
    ANTHROPIC_BASE_URL: 'http://anthropic.invalid',
    AGENTS_RETRY_BASE_MS: '10',
    TOOL_INTEGRATIONS_ENABLED: 'true',
    TOOL_INTEGRATIONS_API_URL: tools.url,
    TOOL_INTEGRATIONS_API_KEY: tools.apiKey,
  });
});
afterAll(async () => {
  await sut?.close();
  await model?.close();
  await tools?.close();
});

checkContracts(
  'agents',
  () => sut,
  agentsTables(() => model),
);
