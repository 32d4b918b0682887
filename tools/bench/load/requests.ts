import type { RequestPlan, Target } from './messages.ts';

/** Update numbers increase over all phases, so that none is sent twice. */
let lastUpdateId = Math.floor(Date.now() / 1000);
const filler =
  'could you tell me when my parcel from Hamburg arrives, and who I can call when nobody is at home? '.repeat(
    2,
  );

/** Returns a function that produces the next request of a plan in wire format. */
export function requestMaker(plan: RequestPlan, host: string): () => string {
  let count = 0;
  if (plan.kind === 'get') {
    const ready = plan.targets.map(
      ({ path, headers }) => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines(headers)}\r\n`,
    );
    return () => ready[count++ % ready.length] ?? '';
  }
  return () => {
    const target = plan.targets[count % plan.targets.length];
    const chatId = 5_500_000_000 + (count++ % plan.chats);
    return target ? updateRequest(target, host, { chatId, text: filler }) : '';
  };
}

/** Returns an update as the messenger posts it, with a unique number. It is about 550 bytes with the text above. */
export function updateRequest(
  target: Target,
  host: string,
  message: { chatId: number; text: string },
): string {
  const { chatId: id, text } = message;
  lastUpdateId += 1;
  const person = { id, first_name: 'Anna', last_name: 'Keller', username: 'anna_keller' };
  const body = JSON.stringify({
    update_id: lastUpdateId,
    message: {
      message_id: lastUpdateId,
      from: { ...person, is_bot: false, language_code: 'de' },
      chat: { ...person, type: 'private' },
      date: Math.floor(Date.now() / 1000),
      text,
    },
  });
  const head = `POST ${target.path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`;
  return `${head}${lines(target.headers)}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function lines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}
