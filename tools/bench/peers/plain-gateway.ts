/**
 * A simple gateway: it verifies the token of every request, and a library proxies the request.
 */
import { Agent, createServer } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { serve, setting } from './ready.ts';

const issuer = setting('IDP_ISSUER');
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
// By default the library uses keep-alive.
const agent = process.env.KEEP_ALIVE === 'false' ? new Agent({ keepAlive: false }) : undefined;

const app = express().disable('x-powered-by');
app.use('/api', async (req, res, next) => {
  try {
    const token = (req.headers.authorization ?? '').replace(/^Bearer /, '');
    const { payload } = await jwtVerify(token, keys, { issuer, algorithms: ['RS256'] });
    req.headers['x-user'] = payload.sub;
    next();
  } catch {
    res.status(401).json({ error: 'unauthorized' });
  }
});
app.use(
  createProxyMiddleware({
    target: setting('UPSTREAM_URL'),
    pathFilter: '/api',
    xfwd: true,
    ...(agent ? { agent } : {}),
  }),
);

serve(createServer(app));
