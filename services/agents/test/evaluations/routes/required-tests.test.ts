import { contentText } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices, question } from '../../agents-services.ts';
import { TestRuns } from '../test-runs.ts';

let services: AgentsServices;
let runs: TestRuns;
let agent: string;
let caseId: string;

/** The first case passes without the word "rude" in the instructions only. */
const assertions = [{ type: 'not_contains', text: 'rudely' }];

beforeAll(async () => {
  services = await openAgentsServices();
});
beforeEach(async () => {
  services.model.replyWith((request) => {
    const isRude = request.messages.some((message) => contentText(message).includes('Be rude.'));
    return `re: ${question(request)}${isRude ? ', rudely' : ''}`;
  });
  runs = await TestRuns.open(services, { required: true });
  agent = `/api/definitions/agents/${runs.agentId}`;
  caseId = await runs.addCase('one', { assertions });
});
afterAll(() => services?.close());

const draft = (instructions: string) => runs.ok('PUT', `${agent}/draft`, { base: 2, instructions });
const goLive = (body: object = {}) => runs.call('POST', `${agent}/draft/go-live`, body);
const setIssue = () => ({ path: `sets/${runs.setId}`, message: expect.stringContaining('run the tests') });
const caseIssue = (message: string) => ({
  path: `cases/${caseId}`,
  message: expect.stringContaining(message),
});
const refused = (...issues: object[]) => ({ status: 409, body: { error: expect.any(String), issues } });
const versionOf = async () => (await runs.ok('GET', agent)).version;

/** A version with these instructions, which is not live. */
async function versionWith(instructions: string): Promise<number> {
  await runs.ok('PUT', `${agent}/draft`, { base: await versionOf(), instructions });
  const { version } = await runs.ok('POST', `${agent}/draft/go-live`, {
    overrideReason: 'To test it later.',
  });
  await runs.ok('POST', `${agent}/versions/2/restore`, { overrideReason: 'Back again.' });
  return version;
}

test('a draft goes live only after a run of exactly its content, and the refusal says how to start one', async () => {
  await draft('Be kind.');
  const answer = await goLive();
  expect(answer).toMatchObject(refused(setIssue()));
  expect(answer.body.issues[0].message).toContain(JSON.stringify({ setId: runs.setId, draft: true }));
  await runs.run({ draft: true });
  await draft('Be very kind.');
  expect(await goLive()).toMatchObject(refused(setIssue()));
  await draft('Be kind.');
  expect(await goLive()).toMatchObject({ status: 200, body: { version: 3 } });
});

test('a regression is refused with its cases; a reason overrides it, which the version and the audit keep', async () => {
  await draft('Be rude.');
  await runs.run({ draft: true });
  expect(await goLive()).toMatchObject(refused(caseIssue('one: worse')));
  expect(await versionOf()).toBe(2);
  expect((await goLive({ overrideReason: '' })).status).toBe(400);
  expect((await goLive({ overrideReason: 'x'.repeat(501) })).status).toBe(400);
  expect((await goLive({ overrideReason: 'The fair is tomorrow.' })).status).toBe(200);
  const [version] = await runs.ok('GET', `${agent}/versions`);
  expect(version).toMatchObject({ version: 3, overrideReason: 'The fair is tomorrow.' });
  const lines = services.harness.logLines.filter((line) => line.includes('required tests were overridden'));
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      audit: 'required tests were overridden',
      agentId: runs.agentId,
      version: 3,
      by: version.createdBy,
      reason: 'The fair is tomorrow.',
    }),
  );
});

test('an update of the live agent is refused unless its content has been tested', async () => {
  expect(await runs.call('PUT', agent, { instructions: 'Be kind.' })).toMatchObject(refused(setIssue()));
  expect((await runs.call('PUT', agent, { instructions: 'Be brief.' })).status).toBe(200);
  await draft('Be kind.');
  await runs.run({ draft: true });
  expect(await runs.call('PUT', agent, { instructions: 'Be kind.' })).toMatchObject({ status: 200 });
});

test('an earlier version is restored only after a run of it, or with a reason', async () => {
  const [kind, rude] = [await versionWith('Be kind.'), await versionWith('Be rude.')];
  const restore = (version: number, body?: object) =>
    runs.call('POST', `${agent}/versions/${version}/restore`, body);
  expect(await restore(kind)).toMatchObject(refused(setIssue()));
  await runs.run({ version: rude });
  expect(await restore(rude)).toMatchObject(refused(caseIssue('one: worse')));
  await runs.run({ version: kind });
  expect(await restore(kind)).toMatchObject({ status: 200, body: { instructions: 'Be kind.' } });
  expect(await restore(rude, { overrideReason: 'We need it.' })).toMatchObject({ status: 200 });
});

test('a candidate is promoted only after a run of it, and withdrawn at any time', async () => {
  const rude = await versionWith('Be rude.');
  const release = async () => {
    const { releaseId } = await runs.ok('POST', `${agent}/releases`, { version: rude });
    return `${agent}/releases/${releaseId}`;
  };
  const first = await release();
  await runs.run({ version: rude });
  expect(await runs.call('POST', `${first}/promote`, {})).toMatchObject(refused(caseIssue('one: worse')));
  expect(await runs.ok('GET', first)).toMatchObject({ state: 'running' });
  expect(await runs.ok('POST', `${first}/withdraw`, {})).toMatchObject({ state: 'withdrawn' });
  const second = await release();
  expect(await runs.ok('POST', `${second}/promote`, { overrideReason: 'Asked for by sales.' })).toMatchObject(
    { state: 'promoted' },
  );
});

test('a draft is released to a share without a run, which its promotion needs', async () => {
  await draft('Be kind.');
  const release = await runs.ok('POST', `${agent}/releases`, { draft: true, share: 5 });
  const { version, instructions } = await runs.ok('GET', agent);
  expect([release.version, version, instructions]).toEqual([3, 4, 'Be brief.']);
  const promote = () => runs.call('POST', `${agent}/releases/${release.releaseId}/promote`, {});
  expect(await promote()).toMatchObject(refused(setIssue()));
  await runs.run({ version: 3 });
  expect(await promote()).toMatchObject({ status: 200, body: { state: 'promoted' } });
});

test('an agent is shared only after a run of what is live, and withdrawn at any time', async () => {
  const publish = (body?: object) => runs.call('POST', `${agent}/publish`, body);
  expect(await publish()).toMatchObject(refused(setIssue()));
  await runs.run();
  expect((await publish()).status).toBe(200);
  await draft('Be rude.');
  await runs.run({ draft: true });
  await goLive({ overrideReason: 'Urgent.' });
  expect(await publish()).toMatchObject(refused(caseIssue('one: worse')));
  expect((await runs.call('POST', `${agent}/unpublish`)).status).toBe(200);
  expect((await publish({ overrideReason: 'For the partner.' })).status).toBe(200);
});

test('a comparison with a version that is no longer live does not excuse a failed case', async () => {
  const strict = await runs.addCase('two', { assertions: [{ type: 'contains', text: 'never said' }] });
  await draft('Be kind.');
  await runs.run({ draft: true });
  await runs.ok('POST', `${agent}/draft/go-live`);
  await runs.ok('PUT', `${agent}/draft`, { base: 3, instructions: 'Be calm.' });
  await runs.run({ draft: true, against: 2 });
  expect(await goLive()).toMatchObject(
    refused({ path: `cases/${strict}`, message: expect.stringContaining('another version has gone live') }),
  );
  await runs.run({ draft: true });
  expect((await goLive()).status).toBe(200);
});

test('a case that was added or changed since the run has to be run, and a deleted one no longer counts', async () => {
  await draft('Be kind.');
  await runs.run({ draft: true });
  const added = await runs.addCase('two');
  const isMissing = refused({ path: `cases/${added}`, message: expect.stringContaining('added or changed') });
  expect(await goLive()).toMatchObject(isMissing);
  await runs.ok('DELETE', `/api/evaluations/sets/${runs.setId}/cases/${added}`);
  const body = { name: 'one', messages: [{ role: 'user', text: 'changed' }], assertions };
  await runs.ok('PUT', `/api/evaluations/sets/${runs.setId}/cases/${caseId}`, body);
  expect(await goLive()).toMatchObject(refused(caseIssue('added or changed')));
  await runs.run({ draft: true });
  expect((await goLive()).status).toBe(200);
});

test('a stopped run counts for nothing, nor does a run with other settings of the set', async () => {
  await draft('Be kind.');
  services.model.hang();
  const { runId } = (await runs.begin({ draft: true })).body;
  await runs.ok('POST', `/api/evaluations/runs/${runId}/stop`);
  services.model.release();
  expect(await goLive()).toMatchObject(refused(setIssue()));
  await runs.run({ draft: true });
  const settings = { name: 'Orders', agentId: runs.agentId, mayUsePlatformKey: true };
  const set = `/api/evaluations/sets/${runs.setId}`;
  await runs.ok('PUT', set, { ...settings, required: true, documents: 'current' });
  expect(await goLive()).toMatchObject(refused(setIssue()));
  await runs.ok('PUT', set, settings);
  expect((await goLive()).status).toBe(200);
});

test('a run by another judge counts for nothing, and a case without its verdict holds a draft up', async () => {
  const settings = { name: 'Orders', agentId: runs.agentId, mayUsePlatformKey: true };
  const set = `/api/evaluations/sets/${runs.setId}`;
  const judge = { rubric: 'Polite.', provider: 'private-llm', model: 'judge-model', repeats: 1 };
  await draft('Be kind.');
  await runs.run({ draft: true });
  await runs.ok('PUT', set, { ...settings, judge });
  expect(await goLive()).toMatchObject(refused(setIssue()));
  // The model that stands for the judge gives no verdict.
  await runs.run({ draft: true });
  expect(await goLive()).toMatchObject(refused(caseIssue('one: the judge gave no verdict; save it')));
  services.model.replyWith('VERDICT: PASS');
  await runs.run({ draft: true });
  for (const change of [{ rubric: 'Kind.' }, { model: 'other' }, { repeats: 2 }]) {
    await runs.ok('PUT', set, { ...settings, judge: { ...judge, ...change } });
    expect(await goLive()).toMatchObject(refused(setIssue()));
  }
  await runs.ok('PUT', set, { ...settings, judge });
  expect((await goLive()).status).toBe(200);
});

test('a set that is not required, or that has no cases, holds nothing up', async () => {
  await runs.ok('DELETE', `/api/evaluations/sets/${runs.setId}/cases/${caseId}`);
  await runs.addSet();
  await runs.addCase('fails', { assertions: [{ type: 'silent' }] });
  expect((await runs.call('PUT', agent, { instructions: 'Be kind.' })).status).toBe(200);
});
