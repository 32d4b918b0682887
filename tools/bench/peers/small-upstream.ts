/** A minimal service behind a gateway. It returns 600 bytes of JSON. */
import { createServer } from 'node:http';
import { serve } from './ready.ts';

const body = JSON.stringify({
  tenantId: '01a1fd3c-aecb-7151-af37-938fcd497821',
  name: 'A tenant of the benchmark',
  bots: Array.from({ length: 4 }, (_, index) => ({
    botId: `01a1fd3c-af59-76d8-9950-52184d6ae4e${index}`,
    name: `Bot ${index}`,
    agentIds: [],
    enabled: true,
    joinWindowMs: 1200,
  })),
});

serve(
  createServer((req, res) => {
    req.resume();
    res.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    res.end(body);
  }),
);
