import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLocalRequestFault } from '@botyard/shared/http/local-request';
import { type Listening, listenOnLoopback, sendAnswer } from '@botyard/testing/fake/fake-server';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

export const toolServerPath = '/mcp';

/** The package has no types, so its name is no literal here. */
const everything: string = '@modelcontextprotocol/server-everything/dist/server/index.js';

interface Everything {
  createServer(): { server: McpServer; cleanup(sessionId?: string): void };
}

/** Sessions that their clients don't end are ended when there are more. */
const maxSessions = 100;

/**
 * `server-everything` over Streamable HTTP (2025-11-25), with a session for each client. The package's own program
 * listens on all addresses and answers pages of every origin; this one answers programs of this machine only.
 */
export async function startToolServer(port: number): Promise<Listening> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const faultOf = createLocalRequestFault();
  return await listenOnLoopback(async (req, res) => {
    const fault = faultOf(req);
    if (fault !== null) return sendAnswer(res, { status: 403, body: { error: `not accepted: ${fault}` } });
    if (new URL(req.url ?? '/', 'http://tools.invalid').pathname !== toolServerPath)
      return sendAnswer(res, { status: 404, body: { error: `the server is at ${toolServerPath}` } });
    await answer(transports, req, res);
  }, port);
}

async function answer(
  transports: Map<string, StreamableHTTPServerTransport>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const sessionId = req.headers['mcp-session-id'];
  if (sessionId === undefined) return (await begin(transports)).handleRequest(req, res);
  const transport = transports.get(String(sessionId));
  if (!transport) return sendAnswer(res, { status: 404, body: { error: 'there is no such session' } });
  await transport.handleRequest(req, res);
}

async function begin(
  transports: Map<string, StreamableHTTPServerTransport>,
): Promise<StreamableHTTPServerTransport> {
  const { createServer } = (await import(everything)) as Everything;
  const { server, cleanup } = createServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (sessionId) => {
      transports.set(sessionId, transport);
      const [oldest] = transports.values();
      if (transports.size > maxSessions) void oldest?.close();
    },
  });
  server.server.onclose = () => {
    const { sessionId } = transport;
    if (sessionId !== undefined) transports.delete(sessionId);
    cleanup(sessionId);
  };
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  return transport;
}
