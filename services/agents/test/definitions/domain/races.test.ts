import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices, startAgents } from '../../agents-services.ts';
import { Definitions } from '../../definition-calls.ts';

let services: AgentsServices;
let acme: Definitions;
/** The same tenant at another instance. */
let elsewhere: Definitions;

beforeAll(async () => {
  services = await openAgentsServices();
  acme = new Definitions(services);
  elsewhere = new Definitions({ ...services, agents: await startAgents(services) });
});

afterAll(() => services?.close());

const rounds = Array.from({ length: 8 }, (_, index) => index);

describe('simultaneously, at two instances', () => {
  test.each([
    ['a tool', 'tool', 'capability', 'toolIds'],
    ['a tool', 'tool', 'agent', 'toolIds'],
    ['a capability', 'capability', 'agent', 'capabilityIds'],
  ] as const)(
    'deleting %s and attaching it (%s to %s): one of them is too late',
    async (_what, part, whole, field) => {
      const paths = { tool: '/tools', capability: '/capabilities', agent: '/agents' };
      const outcomes: string[] = [];
      for (const _round of rounds) {
        const [{ id }, user] = await Promise.all([acme[part](), acme[whole]()]);
        const [deleted, attached] = await Promise.all([
          acme.call('DELETE', `${paths[part]}/${id}`),
          elsewhere.call('PUT', `${paths[whole]}/${user.id}`, { [field]: [id] }),
        ]);
        outcomes.push(`${deleted.status} ${attached.status}`);
      }
      for (const outcome of outcomes) expect(['204 400', '409 200']).toContain(outcome);
      expect((await acme.get('/health')).problems).toEqual([]);
    },
  );

  test('two tools of one name: one is made', async () => {
    for (const round of rounds) {
      const body = { name: `race_${round}`, kind: 'calculator' };
      const answers = await Promise.all([
        acme.call('POST', '/tools', body),
        elsewhere.call('POST', '/tools', body),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });

  test('changes of one definition: none is lost, each is a version', async () => {
    const { id } = await acme.agent();
    const fields = ['name', 'description', 'instructions', 'model'];
    const answers = await Promise.all(
      fields.map((field, index) =>
        (index % 2 ? acme : elsewhere).put(`/agents/${id}`, { [field]: `new ${field}` }),
      ),
    );
    expect(answers.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5]);
    const expected = Object.fromEntries(fields.map((field) => [field, `new ${field}`]));
    expect(await acme.get(`/agents/${id}`)).toMatchObject(expected);
  });

  test('the last free place: one gets it', async () => {
    const { tools } = (await acme.get('/health')).counts;
    await services.harness.asOwner(
      `insert into agents.tool_definitions (tenant_id, id, name, description, kind, settings)
       select $1, gen_random_uuid(), 'filler_' || number, '', 'calculator', '{}' from generate_series(1, 199 - $2::int) number`,
      [services.acme.tenantId, tools],
    );
    const body = (name: string) => ({ name, kind: 'calculator' });
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name, index) =>
        (index % 2 ? acme : elsewhere).call('POST', '/tools', body(name)),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });
});
