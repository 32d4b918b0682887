import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FairBudget } from '@botyard/shared/work/fair-budget';
import type { Request, Response } from 'express';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { Spool } from '../../../../src/files/domain/spool.ts';
import {
  type ReadingOptions,
  readEmailForm,
} from '../../../../src/platforms/mailgun/routes/read-email-form.ts';

/** Reads one form that is posted to a server of its own; returns the names of its files. */
async function namesOfPosted(form: FormData, onFields: ReadingOptions['onFields']) {
  const directory = await mkdtemp(join(tmpdir(), 'botyard-forms-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const spool = new Spool(directory);
  const app = express();
  app.post('/', async (req: Request, res: Response) => {
    const owner = { address: '203.0.113.9' };
    const reception = spool.receive(owner);
    const limits = { maxBytes: 1_000_000, maxBytesOfOne: 1_000_000 };
    const held = new FairBudget({ strangers: limits, tenants: limits, what: 'mails' }).open(owner);
    const { files } = await readEmailForm(req, res, { reception, held, onFields });
    await reception.dispose();
    res.json(files.map(({ name }) => name));
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: form });
  return (await answer.json()) as string[];
}

test('files keep the order of the form, in any order of their storing', async () => {
  const form = new FormData();
  const names = ['first.txt', 'second.txt', 'third.txt'];
  for (const name of names) form.append(name, new File(['text'], name));
  const last = Promise.withResolvers<void>();
  let asked = 0;
  const firstWaitsForLast = async () => {
    asked += 1;
    if (asked === names.length) last.resolve();
    if (asked === 1) await last.promise;
  };
  expect(await namesOfPosted(form, firstWaitsForLast)).toEqual(names);
});
