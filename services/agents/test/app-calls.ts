import type { AppSpecInput } from '@botyard/contracts/http/app-spec';
import type { Answer } from '@botyard/testing/test-call';
import type { AgentsServices } from './agents-services.ts';

type People = AgentsServices['acme'];

/** Calls beneath `/api/admin/apps`, as the admin of a tenant unless it says otherwise. */
export class Apps {
  readonly #services: AgentsServices;
  readonly #people: People;

  constructor(services: AgentsServices, people: People = services.acme) {
    this.#services = services;
    this.#people = people;
  }

  call(method: string, path: string, body?: unknown, as = this.#people.admin): Promise<Answer> {
    return this.#services.agents.call(method, `/api/admin/apps${path}`, { as, body });
  }

  /** The body of an answer with this status. */
  async callOk(method: string, path: string, options: { body?: unknown; status?: number } = {}) {
    const { body, status = method === 'POST' ? 201 : 200 } = options;
    const answer = await this.call(method, path, body);
    if (answer.status !== status)
      throw new Error(`${method} ${path} answered ${answer.status} ${answer.text}`);
    return answer.body;
  }

  async create(name = 'Desk'): Promise<string> {
    return (await this.callOk('POST', '', { body: { name } })).appId;
  }

  async put(appId: string, spec: unknown): Promise<number> {
    return (await this.callOk('PUT', `/${appId}/draft`, { body: { spec } })).revision;
  }

  async publish(appId: string, spec?: Partial<AppSpecInput>): Promise<number> {
    if (spec) await this.put(appId, { specVersion: 1, ...spec });
    return (await this.callOk('POST', `/${appId}/publish`, { body: {}, status: 200 })).version;
  }

  async bind(appId: string, botId: string, more: object = {}): Promise<string> {
    return (await this.callOk('POST', `/${appId}/bindings`, { body: { botId, ...more } })).bindingId;
  }

  /** An app that runs. */
  async running(spec: Partial<AppSpecInput>, botId?: string): Promise<string> {
    const appId = await this.create();
    await this.publish(appId, spec);
    if (botId) await this.bind(appId, botId);
    return appId;
  }
}

/** A type with one field of each kind that matters to a test. */
export const orderType = {
  name: 'order',
  description: 'What somebody wants to buy.',
  fields: [
    { name: 'item', type: 'text' as const, required: true, maxLength: 100 },
    { name: 'count', type: 'number' as const, min: 1, max: 99, wholeNumber: true },
    { name: 'size', type: 'choice' as const, options: ['small', 'large'] },
    { name: 'day', type: 'date' as const },
  ],
};
