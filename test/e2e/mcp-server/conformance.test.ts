import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway } from '../../../services/gateway/test/support/start-gateway.ts';
import { freePorts } from '../../../tools/embedded/free-port.ts';
import { requiredScenarios, revisions, runConformance } from '../conformance-suite.ts';
import { fixtureTools } from './fixture-tools.ts';

/** Required scenarios that are not claimed; docs/mcp.md says why. */
const notClaimed: Readonly<Record<string, string>> = {
  'logging-set-level': 'nothing is logged to clients',
  'tools-call-with-logging': 'nothing is logged to clients',
  'completion-complete': 'there are no prompts, whose arguments it completes',
  'tools-call-sampling': 'without sessions, a client of the older era is asked nothing',
  'tools-call-elicitation': 'without sessions, a client of the older era is asked nothing',
  'elicitation-sep1034-defaults': 'without sessions, a client of the older era is asked nothing',
  'elicitation-sep1330-enums': 'without sessions, a client of the older era is asked nothing',
  'resources-list': 'there are no resources',
  'resources-read-text': 'there are no resources',
  'resources-read-binary': 'there are no resources',
  'resources-templates-read': 'there are no resources',
  'resources-subscribe': 'there are no resources',
  'resources-unsubscribe': 'there are no resources',
  'prompts-list': 'there are no prompts',
  'prompts-get-simple': 'there are no prompts',
  'prompts-get-with-args': 'there are no prompts',
  'prompts-get-embedded-resource': 'there are no prompts',
  'prompts-get-with-image': 'there are no prompts',
  'input-required-result-non-tool-request': 'there are no prompts',
  caching: 'there are no prompts and no resources: tools alone have the hints',
};

/** Scenarios that no revision requires yet, and that pass. */
const notRequired: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['server-session-lifecycle', 'json-schema-2020-12'],
  '2026-07-28': ['http-header-validation', 'json-schema-2020-12'],
};

/** The gateway's own server, with the tools that the suite calls in place of the API's. */
async function startServer() {
  const [port = 0] = await freePorts(1);
  const settings = { PORT: `${port}`, PUBLIC_BASE_URL: `http://127.0.0.1:${port}`, AUTH_DEV_MODE: 'true' };
  return startGateway(settings, { mcpTools: fixtureTools });
}

let gateway: Awaited<ReturnType<typeof startServer>>;
const outputs = new Map<string, string>();

beforeAll(async () => {
  gateway = await startServer();
  const url = `${gateway.url}/api/mcp`;
  for (const revision of revisions) {
    const { output } = await runConformance(['server', '--url', url, '--requirements', revision]);
    outputs.set(revision, output);
  }
});
afterAll(() => gateway?.stop());

const allScenarios = revisions.flatMap((revision) =>
  requiredScenarios(revision, 'server').map((scenario) => [revision, scenario] as const),
);
const claimed = [
  ...allScenarios.filter(([, scenario]) => !(scenario in notClaimed)),
  ...revisions.flatMap((revision) => notRequired[revision]!.map((name) => [revision, name] as const)),
];

test('what is not claimed is required by a revision', () => {
  const names = allScenarios.map(([, scenario]) => scenario);
  for (const scenario of Object.keys(notClaimed)) expect(names).toContain(scenario);
});

test.each(claimed)('conformance of the server with %s: %s', (revision, scenario) => {
  const output = outputs.get(revision)!;
  expect(output.split('\n'), output).toContainEqual(
    expect.stringMatching(new RegExp(`✓ ${scenario}: \\d+ passed, 0 failed`)),
  );
});
