import { expect, test } from 'vitest';
import { KnownPeople } from '../../../../src/platforms/whatsapp/domain/known-people.ts';
import type { KnownPerson } from '../../../../src/platforms/whatsapp/store/people.ts';
import { anna } from '../notifications.ts';

const now = new Date('2026-11-20T12:00:00Z');
const { userId, phone } = anna;

const person = (change: Partial<KnownPerson>): KnownPerson => ({
  personId: userId,
  phone,
  renamedTo: null,
  renamedAt: null,
  lastMessageId: null,
  lastMessageAt: null,
  ...change,
});
const people = (...rows: KnownPerson[]) => new KnownPeople(rows, now);

test('a person is their identifier, and stays it when they hide their number', () => {
  const known = people();
  expect(known.note({ userId, phone }).personId).toBe(userId);
  expect(known.note({ userId }).personId).toBe(userId);
  expect(known.note({ phone }).personId).toBe(userId);
  expect(known.changed).toEqual([person({})]);
});

test('who was known by a number alone is the same person once the identifier comes', () => {
  const known = people(person({ personId: phone }));
  expect(known.note({ userId, phone })).toEqual({
    personId: userId,
    renamings: [{ from: phone, to: userId }],
  });
  expect(known.find({ phone })).toBe(userId);
  const again = people(...known.changed);
  expect(again.note({ userId, phone }).renamings).toEqual([{ from: phone, to: userId }]);
});

test('a number that was given to somebody else leads to that person, and renames nobody', () => {
  const known = people(person({}));
  expect(known.note({ userId: 'DE.2', phone })).toEqual({ personId: 'DE.2', renamings: [] });
  expect(known.find({ phone })).toBe('DE.2');
  expect(known.find({ userId })).toBe(userId);
});

test('a person with another number and identifier is the same one', () => {
  const known = people(person({ lastMessageId: 'wamid.1', lastMessageAt: now }));
  const renaming = known.rename({ phone }, { userId: 'DE.2', phone: '4915' });
  expect(renaming).toEqual({ from: userId, to: 'DE.2' });
  expect(known.find({ userId })).toBe('DE.2');
  expect(known.find({ phone: '4915' })).toBe('DE.2');
  expect(known.changed.find(({ personId }) => personId === 'DE.2')).toMatchObject({
    phone: '4915',
    lastMessageId: 'wamid.1',
  });
});

test('a change that arrives twice or late says the same', () => {
  const known = people(person({}));
  const change = () => known.rename({ userId }, { userId: 'DE.2' });
  expect([change(), change()]).toEqual([{ from: userId, to: 'DE.2' }, undefined]);
  expect(people().rename({ userId }, { userId: 'DE.2' })).toEqual({ from: userId, to: 'DE.2' });
  expect(people().rename({ phone }, { userId: 'DE.2' })).toBeUndefined();
});

test('an older message does not move the window back', () => {
  const known = people(person({ lastMessageId: 'wamid.2', lastMessageAt: now }));
  known.wrote(userId, { id: 'wamid.1', sentAt: new Date(now.getTime() - 1000) });
  expect(known.changed).toEqual([]);
});
