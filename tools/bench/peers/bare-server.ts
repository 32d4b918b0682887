/** A minimal HTTP server that reads a delivery and returns 200. It checks and stores nothing. */
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
