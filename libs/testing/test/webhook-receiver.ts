/** A webhook for the tests of the fake messenger: answers by a script and records deliveries. */
import { type Answer, listenOnLoopback, readBody, sendAnswer } from '../src/fake/fake-server.ts';
import { RecordLog } from '../src/fake/record-log.ts';

export type Received = { update: { update_id: number; [kind: string]: unknown }; secret: string | undefined };

export async function startReceiver(
  script: (received: Received) => Answer | Promise<Answer> = () => ({ status: 200 }),
) {
  const received = new RecordLog<Received>();
  const listening = await listenOnLoopback(async (req, res) => {
    const update = JSON.parse((await readBody(req)).toString('utf8'));
    const secret = req.headers['x-telegram-bot-api-secret-token'];
    const one = { update, secret: Array.isArray(secret) ? secret[0] : secret };
    received.add(one);
    sendAnswer(res, await script(one));
  });
  return { received, url: `${listening.origin}/hook`, close: listening.close };
}
