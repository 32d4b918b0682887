import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@botyard/testing/eventually';
import { type AgentsServices, openAgentsServices, type TestBot } from '../agents-services.ts';
import { addTool, equippedBot } from '../answering/domain/loop/equipped.ts';

/** A site with one page, which an agent reads by its tool `read_page`, and a document that it searches by `search`. */
export class RecordedSite {
  readonly services: AgentsServices;
  readonly bot: TestBot;
  readonly origin: string;
  readonly sourceId: string;
  page = 'the page';
  readonly #server: Server;

  private constructor(server: Server, made: Pick<RecordedSite, 'services' | 'bot' | 'origin' | 'sourceId'>) {
    this.#server = server;
    this.services = made.services;
    this.bot = made.bot;
    this.origin = made.origin;
    this.sourceId = made.sourceId;
  }

  static async open(): Promise<RecordedSite> {
    const server = createServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(site.page);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const services = await openAgentsServices({ EGRESS_ALLOWED_HOSTS: `docs.localhost:${port}` });
    const toolIds = await Promise.all([
      addTool(services, { name: 'read_page', kind: 'http_get', settings: { hosts: ['docs.localhost'] } }),
      addTool(services, { name: 'search', kind: 'search_context', settings: { limit: 3 } }),
    ]);
    const bot = await equippedBot(services, {}, { toolIds });
    const sourceId = await addDocument(services);
    const site = new RecordedSite(server, {
      services,
      bot,
      origin: `http://docs.localhost:${port}`,
      sourceId,
    });
    return site;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.services.close();
  }
}

async function addDocument({ agents, acme }: AgentsServices): Promise<string> {
  const as = acme.admin;
  const body = { title: 'Delivery', text: 'Parcels take three days to Bergen.' };
  const { sourceId } = (await agents.call('POST', '/api/context-sources', { as, body })).body;
  await eventually('the document is ready', async () => {
    const { status } = (await agents.call('GET', `/api/context-sources/${sourceId}`, { as })).body;
    return status === 'ready';
  });
  return sourceId;
}
