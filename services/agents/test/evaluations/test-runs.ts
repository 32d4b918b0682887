import { eventually } from '@botyard/testing/eventually';
import type { Answer } from '@botyard/testing/test-call';
import { type AgentsServices, createAgent } from '../agents-services.ts';
import { addTool } from '../answering/domain/loop/equipped.ts';

type Body = Answer['body'];

const tools = [
  { name: 'find_order', kind: 'http_get', settings: { hosts: ['shop.example'] } },
  { name: 'search', kind: 'search_context', settings: {} },
  { name: 'time', kind: 'current_time', settings: {} },
  { name: 'hand_over', kind: 'hand_over' },
];
const toolIdsOf = new WeakMap<AgentsServices, Promise<string[]>>();

function toolsOf(services: AgentsServices): Promise<string[]> {
  const toolIds = toolIdsOf.get(services) ?? Promise.all(tools.map((tool) => addTool(services, tool)));
  toolIdsOf.set(services, toolIds);
  return toolIds;
}

/** A test set of an agent of `acme`, and its runs. */
export class TestRuns {
  readonly services: AgentsServices;
  readonly agentId: string;
  setId = '';

  private constructor(services: AgentsServices, agentId: string) {
    this.services = services;
    this.agentId = agentId;
  }

  /** An agent with a tool `find_order` that fetches pages, and a tool `search`. */
  static async open(services: AgentsServices, set: object = {}): Promise<TestRuns> {
    const toolIds = await toolsOf(services);
    const agentId = await createAgent(services, services.acme, { instructions: 'Be brief.' });
    const runs = new TestRuns(services, agentId);
    await runs.ok('PUT', `/api/definitions/agents/${agentId}`, { toolIds });
    await runs.addSet(set);
    return runs;
  }

  async addSet(fields: object = {}): Promise<void> {
    const body = { name: 'Orders', agentId: this.agentId, mayUsePlatformKey: true, ...fields };
    this.setId = (await this.ok('POST', '/api/evaluations/sets', body)).setId;
  }

  call = (method: string, path: string, body?: object, as = this.services.acme.admin): Promise<Answer> =>
    this.services.agents.call(method, path, { as, ...(body ? { body } : {}) });

  async ok(method: string, path: string, body?: object): Promise<Body> {
    const answer = await this.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status} ${answer.text}`);
    return answer.body;
  }

  async addCase(text: string, fields: object = {}): Promise<string> {
    const body = { name: text, messages: [{ role: 'user', text }], ...fields };
    return (await this.ok('POST', `/api/evaluations/sets/${this.setId}/cases`, body)).caseId;
  }

  begin = (body: object = {}): Promise<Answer> =>
    this.call('POST', '/api/evaluations/runs', { setId: this.setId, ...body });

  async isOver(runId: string): Promise<Body> {
    return await eventually('the run is over', async () => {
      const run = await this.ok('GET', `/api/evaluations/runs/${runId}`);
      return !['queued', 'running'].includes(run.state) && run;
    });
  }

  /** A run from its beginning to its end. */
  async run(body: object = {}): Promise<Body> {
    const begun = await this.begin(body);
    if (begun.status !== 202) throw new Error(`no run began: ${begun.status} ${begun.text}`);
    return await this.isOver(begun.body.runId);
  }

  result = (runId: string, caseId: string): Promise<Body> =>
    this.ok('GET', `/api/evaluations/runs/${runId}/results/${caseId}`);

  /** The faults of the only case, as messages. */
  async faultsOf(caseId: string): Promise<string[]> {
    const { runId } = await this.run();
    const { candidate } = await this.result(runId, caseId);
    return candidate.faults.map(({ message }: { message: string }) => message);
  }
}
