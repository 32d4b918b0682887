/** Responds to bus requests with as many bytes as a resolved key has, and does nothing else. */
import { createServer } from 'node:http';
import { connect } from '@nats-io/transport-node';
import { serve, setting } from './ready.ts';

const connection = await connect({
  servers: setting('NATS_URL'),
  user: setting('NATS_USER'),
  pass: setting('NATS_PASSWORD'),
});
const answer = 'x'.repeat(Number(setting('ANSWER_BYTES')));
connection.subscribe(setting('SUBJECT'), { callback: (_error, message) => void message.respond(answer) });
await connection.flush();
serve(createServer());
