import { EventReader } from '@botyard/testing/event-reader';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../../agents-services.ts';
import { HandledChat, userIdOf } from '../../takeover/chats.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});
afterAll(() => services?.close());

const call = (method: string, path: string, body?: object) =>
  services.agents.call(method, `/api/interactions${path}`, {
    as: services.acme.admin,
    ...(body ? { body } : {}),
  });

test('a label is put on chats by its name, found by it, renamed and deleted', async () => {
  const chat = await HandledChat.begun(services, bot);
  const { chatId } = await chat.shown();
  const { status, body: label } = await call('POST', '/labels', { name: 'Refund' });
  expect([status, label.name]).toEqual([201, 'Refund']);
  await call('POST', '/labels', { name: 'angry' });
  const labelled = await chat.call('PUT', '', { labels: ['refund', 'angry'] });
  expect(labelled.body).toMatchObject({ labels: ['angry', 'Refund'] });
  expect((await call('GET', '/chats?label=refund')).body).toMatchObject([{ chatId }]);
  await call('PUT', `/labels/${label.labelId}`, { name: 'Money back' });
  expect(await chat.shown()).toMatchObject({ labels: ['angry', 'Money back'] });
  expect((await call('DELETE', `/labels/${label.labelId}`)).status).toBe(204);
  expect(await chat.shown()).toMatchObject({ labels: ['angry'] });
  expect((await call('GET', '/chats?label=Refund')).body).toEqual([]);
  expect((await chat.call('PUT', '', { labels: [] })).body).toMatchObject({ labels: [] });
});

test('a chat takes no label that does not exist', async () => {
  const chat = await HandledChat.begun(services, bot);
  const refused = await chat.call('PUT', '', { labels: ['nowhere'], state: 'resolved' });
  expect(refused).toMatchObject({ status: 422, body: { issues: [{ path: 'labels.0' }] } });
  expect(await chat.shown()).toMatchObject({ labels: [], state: 'open' });
});

test.each([
  ['/labels', { name: 'Twice' }, 'labelId'],
  ['/canned-replies', { name: 'Twice', text: 'Hello!' }, 'cannedReplyId'],
])('a name is unique among %s of a tenant, in any case', async (path, body, idName) => {
  const { body: made } = await call('POST', path, body);
  expect((await call('POST', path, { ...body, name: 'TWICE' })).status).toBe(409);
  const { body: other } = await call('POST', path, { ...body, name: 'Other' });
  expect((await call('PUT', `${path}/${other[idName]}`, { ...body, name: 'twice' })).status).toBe(409);
  expect((await call('PUT', `${path}/${made[idName]}`, { ...body, name: 'tWICE' })).body.name).toBe('tWICE');
  expect((await call('GET', path)).body).toHaveLength(path === '/labels' ? 3 : 2);
});

test('a canned reply is changed and deleted', async () => {
  const { body: made } = await call('POST', '/canned-replies', { name: 'thanks', text: 'Thank you!' });
  const path = `/canned-replies/${made.cannedReplyId}`;
  await call('PUT', path, { name: 'thanks', text: 'Thanks a lot!' });
  expect((await call('GET', path)).body).toMatchObject({ name: 'thanks', text: 'Thanks a lot!' });
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
});

test('a note is seen by colleagues at once, and by neither the person nor the model', async () => {
  const reader = await EventReader.open(services.agents, { as: services.acme.admin });
  const chat = await HandledChat.begun(services, bot);
  const { chatId } = await chat.shown();
  const text = 'Has called three times today.';
  const { status, body: note } = await chat.call('POST', '/notes', { text });
  const userId = await userIdOf(services, services.acme.admin);
  expect([status, note]).toMatchObject([201, { text, author: { kind: 'staff', userId } }]);
  const announced = await reader.first('note.created', ({ data }) => data.chatId === chatId);
  expect(announced.data).toMatchObject({ noteId: note.noteId, text, author: { kind: 'staff', userId } });
  reader.close();
  await chat.say('hello again');
  await chat.answers(2);
  expect(JSON.stringify(services.model.requests.last!.messages)).not.toContain(text);
  expect((await chat.messages()).map((one: { text: string }) => one.text)).not.toContain(text);
  expect((await chat.call('GET', '/notes')).body).toEqual([note]);
  expect((await chat.call('DELETE', `/notes/${note.noteId}`)).status).toBe(204);
  expect((await chat.call('GET', '/notes')).body).toEqual([]);
});

test('a note is deleted only through its own chat', async () => {
  const [one, other] = [await HandledChat.begun(services, bot), await HandledChat.begun(services, bot)];
  const { body: note } = await one.call('POST', '/notes', { text: 'Private' });
  expect((await other.call('DELETE', `/notes/${note.noteId}`)).status).toBe(404);
  expect((await one.call('GET', '/notes')).body).toHaveLength(1);
});
