import { eventually } from '@botyard/testing/eventually';
import { expect } from 'vitest';
import { z } from 'zod';
import { mailPeople } from '../../../tools/sandbox/mail/people.ts';

const Mails = z.object({ entries: z.array(z.object({ direction: z.enum(['in', 'out']) })) });

/** Answers that the people of the sandbox have in their mailboxes. */
export async function countMails(sandboxUrl: string): Promise<number> {
  const { entries } = Mails.parse(await (await fetch(`${sandboxUrl}/api/mail`)).json());
  return entries.filter(({ direction }) => direction === 'out').length;
}

/** A person writes to the demo bot, with a file. Returns when the mail is answered. */
export async function writeMail(sandboxUrl: string, content: string): Promise<void> {
  const answered = await countMails(sandboxUrl);
  const base64 = Buffer.from(content).toString('base64');
  const body = {
    personId: mailPeople[0]?.id,
    to: 'demo@bots.sandbox.test',
    subject: 'A chart',
    text: 'What is it?',
    files: [{ name: 'chart.txt', contentType: 'text/plain', base64 }],
  };
  const answer = await fetch(`${sandboxUrl}/api/mail`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.text()).toBe(201);
  await eventually('the mail is answered', async () => (await countMails(sandboxUrl)) > answered, {
    timeoutMs: 120_000,
  });
}
