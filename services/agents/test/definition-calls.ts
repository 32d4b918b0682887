import type { Answer } from '@botyard/testing/test-call';
import type { AgentsServices } from './agents-services.ts';

type People = AgentsServices['acme'];

/** Calls beneath `/api/definitions`, as the admin of a tenant unless it says otherwise. */
export class Definitions {
  readonly #services: AgentsServices;
  readonly #people: People;

  constructor(services: AgentsServices, people: People = services.acme) {
    this.#services = services;
    this.#people = people;
  }

  call(method: string, path: string, body?: unknown, as = this.#people.admin): Promise<Answer> {
    return this.#services.agents.call(method, `/api/definitions${path}`, { as, body });
  }

  async get(path: string): Promise<Answer['body']> {
    return await this.#callOk(await this.call('GET', path), 200, path);
  }

  async put(path: string, body: unknown): Promise<Answer['body']> {
    return await this.#callOk(await this.call('PUT', path, body), 200, path);
  }

  /** The created resource: 201, or 200 for publishing and withdrawing. */
  async post(path: string, body?: unknown): Promise<Answer['body']> {
    const status = /(publish|sync)$/.test(path) ? 200 : 201;
    return await this.#callOk(await this.call('POST', path, body), status, path);
  }

  tool(fields: object = {}): Promise<Answer['body']> {
    return this.post('/tools', { name: uniqueName(), kind: 'calculator', ...fields });
  }

  capability(fields: object = {}): Promise<Answer['body']> {
    return this.post('/capabilities', { name: 'Sums', instructions: 'Calculate.', ...fields });
  }

  agent(fields: object = {}): Promise<Answer['body']> {
    const agentBody = { name: 'Clerk', instructions: 'Help.', provider: 'openai', model: 'any', ...fields };
    return this.post('/agents', agentBody);
  }

  #callOk({ status, body, text }: Answer, due: number, path: string): Answer['body'] {
    if (status !== due) throw new Error(`${path} answered ${status} ${text}`);
    return body;
  }
}

let count = 0;
/** A name of a tool that nobody has used. */
export function uniqueName(): string {
  count += 1;
  return `tool_${count}`;
}

export const kinds = ['agent', 'capability', 'tool'] as const;
export const pathOfKind = { agent: '/agents', capability: '/capabilities', tool: '/tools' };
