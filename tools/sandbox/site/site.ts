/** A site of another origin that shows the web chat of one bot, as a tenant's own site does. */
import type { Answer } from '@botyard/testing/fake/fake-server';
import type { ApiRequest } from '../chats/routes.ts';

const botIdShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The bot whose web chat the site shows. */
export class Site {
  readonly #listeners = new Set<() => void>();
  #botId: string | undefined;

  get botId(): string | undefined {
    return this.#botId;
  }

  /** Returns false if it is no identifier of a bot. */
  show(botId: unknown): boolean {
    if (typeof botId !== 'string' || !botIdShape.test(botId)) return false;
    this.#botId = botId;
    for (const listener of this.#listeners) listener();
    return true;
  }

  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }
}

/** Returns `undefined` if the path is not the site's. */
export function answerSite(
  site: Site,
  gatewayUrl: string,
  { method, path, body }: ApiRequest,
): Answer | undefined {
  if (path !== '/site') return undefined;
  if (method === 'GET')
    return { status: 200, body: { botId: site.botId ?? null, script: `${gatewayUrl}/chat.js` } };
  if (method !== 'POST') return { status: 404, body: { error: 'not found' } };
  return site.show(body.botId)
    ? { status: 201, body: {} }
    : { status: 400, body: { error: 'send { botId }, the identifier of a bot' } };
}
