/**
 * A simple implementation of admission: common middleware, and a JetStream publish per delivery.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { jetstream, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { serve, setting } from './ready.ts';

const stream = 'PLAIN';
const secretHash = hash(setting('WEBHOOK_SECRET'));

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const connection = await connect({ servers: setting('NATS_URL') });
const manager = await jetstreamManager(connection);
await manager.streams.add({
  name: stream,
  subjects: ['plain.>'],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
});
const js = jetstream(connection);

const app = express().disable('x-powered-by').disable('etag');
app.set('trust proxy', 1);
app.use(
  rateLimit({ windowMs: 60_000, limit: 1_000_000_000, standardHeaders: 'draft-7', legacyHeaders: false }),
);
app.post('/webhooks/messenger/:botId', express.json({ limit: '1mb' }), async (req, res) => {
  const shown = req.headers['x-telegram-bot-api-secret-token'];
  if (typeof shown !== 'string' || !timingSafeEqual(hash(shown), secretHash)) {
    res.status(401).json({ error: 'unauthorized' });
    return;
  }
  const { update_id: updateId } = req.body as { update_id?: unknown };
  if (!Number.isInteger(updateId)) {
    res.status(400).json({ error: 'not an update' });
    return;
  }
  const { botId } = req.params;
  await js.publish(`plain.${botId}`, JSON.stringify(req.body), { msgID: `${botId}:${String(updateId)}` });
  res.status(200).json({});
});

process.on('message', async (message) => {
  if (message !== 'count') return;
  const { state } = await manager.streams.info(stream);
  process.send?.({ count: state.messages });
});
serve(createServer(app));
