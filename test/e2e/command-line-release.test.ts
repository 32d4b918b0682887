import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LocalInstallation } from './attack/local-installation.ts';
import { newFolder, type Run, removeFolders, runCommand } from './command-line-runs.ts';
import {
  addAgentOfTwoMinds,
  answerSessions,
  moveClocksOfSessions,
  wordsForColleague,
} from './released-agent.ts';

let installation: LocalInstallation;
let home: string;

beforeAll(async () => {
  [installation, home] = await Promise.all([LocalInstallation.start(), newFolder()]);
});
afterAll(async () => {
  await installation?.stop();
  await removeFolders();
});

const botyard = (...args: string[]): Promise<Run> => {
  const { gatewayUrl, demo } = installation;
  return runCommand(args, { env: { HOME: home, BOTYARD_URL: gatewayUrl, BOTYARD_TENANT: demo.tenantId } });
};

test('from a case to a withdrawn candidate by the command line: a draft is tested, released all the same, and seen to be withdrawn', async () => {
  const agentId = await addAgentOfTwoMinds(installation, 'Lamps');
  const set = { name: 'Colleagues', agentId, mayUsePlatformKey: true };
  const { setId } = await installation.api<{ setId: string }>('POST', '/api/evaluations/sets', set);
  await installation.api('POST', `/api/evaluations/sets/${setId}/cases`, {
    name: 'Asks for a colleague',
    messages: [{ role: 'user', text: wordsForColleague }],
    assertions: [{ type: 'contains', text: 'Help with lamps' }],
  });
  const path = `/api/definitions/agents/${agentId}`;
  const versions = await installation.api<{ version: number; definition: { toolIds: string[] } }[]>(
    'GET',
    `${path}/versions`,
  );
  const { toolIds } = versions.find(({ version }) => version === 2)!.definition;
  await installation.api('PUT', `${path}/draft`, { base: 3, toolIds });

  expect(await botyard('test', 'Colleagues')).toMatchObject({ code: 0 });
  const tested = await botyard('test', 'Colleagues', '--draft');
  expect(tested).toMatchObject({ code: 1, output: expect.stringContaining('failed, worse') });
  const started = await botyard('release', 'Lamps', '--draft', '--share', '50');
  expect(started).toMatchObject({
    code: 0,
    output: expect.stringContaining('running, 50 % of new sessions'),
  });
  await answerSessions(installation, { agentId, people: 100 });
  await moveClocksOfSessions(installation);
  const ended = await eventually('the candidate is withdrawn', async () => {
    const shown = await botyard('release', 'Lamps');
    return shown.output.includes('withdrawn, 0 %') && shown;
  });
  expect(ended.code).toBe(0);
  expect(ended.output).toMatch(/more chats are handed over to a person: \d+ of \d+ with the candidate/);
});
