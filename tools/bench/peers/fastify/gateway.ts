/**
 * A gateway from fastify's own plugins: @fastify/jwt verifies tokens, with or without fast-jwt's cache, and
 * @fastify/http-proxy proxies requests.
 */
import type { Server } from 'node:http';
import { installed } from '../fetch/installed.ts';
import { serve, setting } from '../ready.ts';

interface Req {
  user: { sub: string };
  jwtVerify(): Promise<unknown>;
}
interface Reply {
  code(status: number): { send(body: unknown): unknown };
}
interface App {
  server: Server;
  register(plugin: unknown, options: unknown): void;
  ready(): Promise<unknown>;
}

const fastify = installed('fastify') as (options: unknown) => App;
const app = fastify({ logger: false });
app.register(installed('@fastify/jwt'), {
  secret: { public: setting('PUBLIC_KEY') },
  decode: { complete: false },
  verify: {
    algorithms: ['RS256'],
    allowedIss: setting('IDP_ISSUER'),
    cache: process.env.TOKEN_CACHE === 'true' ? 1000 : false,
  },
});
app.register(installed('@fastify/http-proxy'), {
  upstream: setting('UPSTREAM_URL'),
  prefix: '/api',
  rewritePrefix: '/api',
  preHandler: async (req: Req, reply: Reply) => {
    try {
      await req.jwtVerify();
    } catch {
      return reply.code(401).send({ error: 'unauthorized' });
    }
  },
  replyOptions: {
    rewriteRequestHeaders: (req: Req, headers: object) => ({ ...headers, 'x-user': req.user.sub }),
  },
});

await app.ready();
serve(app.server);
