/** The least that an HTTP server can do with a delivery: read it and answer 200. Nothing is checked or kept. */
import { createServer } from 'node:http';
import { serve } from './ready.ts';

serve(
  createServer((req, res) => {
    req.on('end', () => {
      res.setHeader('content-type', 'application/json');
      res.end('{}');
    });
    req.resume();
  }),
);
