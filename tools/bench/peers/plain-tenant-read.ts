/**
 * A simple implementation of the tenant read: jose verifies the token of every request, and each kind of data has one
 * query.
 */
import { createServer } from 'node:http';
import express from 'express';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import pg from 'pg';
import { serve, setting } from './ready.ts';

const issuer = setting('IDP_ISSUER');
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
const pool = new pg.Pool({ connectionString: setting('DATABASE_URL'), max: 8 });
const arePrepared = process.env.PREPARED === 'true';

const texts = {
  membership: `select m.role from tenancy.memberships m join tenancy.users u on u.user_id = m.user_id
    where u.idp_user_id = $1 and m.tenant_id = $2`,
  tenant: 'select tenant_id, name, created_at, updated_at from tenancy.tenants where tenant_id = $1',
  bots: `select tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms, created_at, updated_at
    from tenancy.bots where tenant_id = $1 order by bot_id desc`,
};

async function query(name: keyof typeof texts, values: unknown[]): Promise<Record<string, unknown>[]> {
  const prepared = arePrepared ? { name } : {};
  return (await pool.query({ ...prepared, text: texts[name], values })).rows as Record<string, unknown>[];
}

const app = express().disable('x-powered-by');
app.get('/api/bots/tenants/:tenantId', async (req, res) => {
  let userId: string;
  try {
    const token = (req.headers.authorization ?? '').replace(/^Bearer /, '');
    const { payload } = await jwtVerify(token, keys, { issuer, algorithms: ['RS256'] });
    userId = payload.sub ?? '';
  } catch {
    res.status(401).json({ error: 'unauthorized' });
    return;
  }
  const { tenantId } = req.params;
  if ((await query('membership', [userId, tenantId])).length === 0) {
    res.status(404).json({ error: 'not found' });
    return;
  }
  const [tenant] = await query('tenant', [tenantId]);
  const bots = await query('bots', [tenantId]);
  res.json({
    tenantId: tenant?.tenant_id,
    name: tenant?.name,
    createdAt: tenant?.created_at,
    updatedAt: tenant?.updated_at,
    bots: bots.map((bot) => ({
      botId: bot.bot_id,
      tenantId: bot.tenant_id,
      name: bot.name,
      agentIds: bot.agent_ids,
      enabled: bot.is_enabled,
      joinWindowMs: bot.join_window_ms,
      createdAt: bot.created_at,
      updatedAt: bot.updated_at,
    })),
  });
});

serve(createServer(app));
