/** The page's API for WhatsApp, under `/whatsapp`. */
import type { Answer } from '@botyard/testing/fake/fake-server';
import type { FakeWhatsApp } from '@botyard/testing/fake-whatsapp';
import type { SentMessage, WaPerson } from '@botyard/testing/whatsapp/types';
import { Refusal } from '../chats/actions.ts';
import type { ApiRequest } from '../chats/routes.ts';
import { businessOf } from './demo-number.ts';

/** Returns `undefined` if the path is not one of WhatsApp. */
export function answerWhatsApp(
  whatsapp: FakeWhatsApp | undefined,
  { method, path, body }: ApiRequest,
): Answer | undefined {
  if (path !== '/whatsapp' && !path.startsWith('/whatsapp/')) return undefined;
  if (!whatsapp) return { status: 404, body: { error: 'the sandbox WhatsApp is not running' } };
  try {
    if (path === '/whatsapp' && method === 'GET') return { status: 200, body: phoneOf(whatsapp) };
    const action = method === 'POST' ? actions[path.slice('/whatsapp/'.length)] : undefined;
    if (!action) return { status: 404, body: { error: 'not found' } };
    action(whatsapp, personOf(whatsapp, body), body);
    return { status: 201, body: {} };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: { error: error.message } };
    throw error;
  }
}

/** A message of this age can only be answered with a template. */
const oldSeconds = 25 * 3600;

type Action = (whatsapp: FakeWhatsApp, person: WaPerson, body: ApiRequest['body']) => void;

const actions: Readonly<Record<string, Action>> = {
  messages: (whatsapp, person, { text, isOld }) => {
    if (typeof text !== 'string' || text.trim() === '') throw new Refusal(400, 'send { phone, text }');
    const sentAt = isOld === true ? { timestamp: String(Math.floor(Date.now() / 1000) - oldSeconds) } : {};
    whatsapp.say(connectedNumber(whatsapp), person, text, sentAt);
  },
  presses: (whatsapp, person, { messageId, title }) => {
    const sent = whatsapp.entries.all.find(({ id, phone }) => id === messageId && phone === person.phone);
    if (!sent?.buttons.some((button) => button.title === title && button.address === undefined))
      throw new Refusal(404, 'there is no such button under this message');
    whatsapp.press(connectedNumber(whatsapp), person, sent, String(title));
  },
  /** The person looks at the chat. */
  reads: (whatsapp, person) => {
    for (const sent of unreadBy(whatsapp, person)) whatsapp.report(sent, 'read');
  },
};

/** Messages that the person received and has not looked at. */
function unreadBy({ entries, sent }: FakeWhatsApp, { phone }: WaPerson): SentMessage[] {
  const unread = new Set(
    entries.all.flatMap(({ id, status }) => (status === 'sent' || status === 'delivered' ? [id] : [])),
  );
  return sent.all.filter((message) => message.phone === phone && unread.has(message.id));
}

function personOf(whatsapp: FakeWhatsApp, { phone }: ApiRequest['body']): WaPerson {
  const person = whatsapp.people.get(String(phone));
  if (!person) throw new Refusal(404, 'there is no such person');
  return person;
}

function connectedNumber(whatsapp: FakeWhatsApp): string {
  if (addressOf(whatsapp) === undefined)
    throw new Refusal(409, 'the number is not connected yet: create an integration with its credentials');
  return businessOf(whatsapp).number.id;
}

/** The address that gets the number's deliveries. */
function addressOf(whatsapp: FakeWhatsApp): string | undefined {
  const { app, account, number } = businessOf(whatsapp);
  if (!account.subscribed.has(app.id)) return undefined;
  return (number.callback ?? account.subscribed.get(app.id) ?? app.callback)?.url;
}

const maxShown = 200;

function phoneOf(whatsapp: FakeWhatsApp): Record<string, unknown> {
  const { app, account, number, token } = businessOf(whatsapp);
  return {
    credentials: {
      accessToken: token,
      phoneNumberId: number.id,
      businessAccountId: account.id,
      appSecret: app.secret,
    },
    number: { name: number.name, display: number.display },
    address: addressOf(whatsapp) ?? null,
    people: [...whatsapp.people.values()].map(({ phone, name }) => ({
      phone,
      name,
      messages: whatsapp.entries.all
        .filter((entry) => entry.phone === phone)
        .slice(-maxShown)
        .map(({ id, direction, text, header, footer, buttons, at, status }) => ({
          id,
          isMine: direction === 'in',
          text,
          header,
          footer,
          buttons: buttons.map(({ title, description, address }) => ({ title, description, address })),
          at,
          status,
        })),
    })),
  };
}
