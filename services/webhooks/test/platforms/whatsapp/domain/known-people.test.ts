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
  const knownPeople = people();
  expect(knownPeople.note({ userId, phone }).personId).toBe(userId);
  expect(knownPeople.note({ userId }).personId).toBe(userId);
  expect(knownPeople.note({ phone }).personId).toBe(userId);
  expect(knownPeople.changed).toEqual([person({})]);
});

test('who was known by a number alone is the same person once the identifier comes', () => {
  const knownPeople = people(person({ personId: phone }));
  expect(knownPeople.note({ userId, phone })).toEqual({
    personId: userId,
    renamings: [{ from: phone, to: userId }],
  });
  expect(knownPeople.find({ phone })).toBe(userId);
  const again = people(...knownPeople.changed);
  expect(again.note({ userId, phone }).renamings).toEqual([{ from: phone, to: userId }]);
});

test('a number that was given to somebody else leads to that person, and renames nobody', () => {
  const knownPeople = people(person({}));
  expect(knownPeople.note({ userId: 'DE.2', phone })).toEqual({ personId: 'DE.2', renamings: [] });
  expect(knownPeople.find({ phone })).toBe('DE.2');
  expect(knownPeople.find({ userId })).toBe(userId);
});

test('a person with another number and identifier is the same one', () => {
  const knownPeople = people(person({ lastMessageId: 'wamid.1', lastMessageAt: now }));
  const renaming = knownPeople.rename({ phone }, { userId: 'DE.2', phone: '4915' });
  expect(renaming).toEqual({ from: userId, to: 'DE.2' });
  expect(knownPeople.find({ userId })).toBe('DE.2');
  expect(knownPeople.find({ phone: '4915' })).toBe('DE.2');
  expect(knownPeople.changed.find(({ personId }) => personId === 'DE.2')).toMatchObject({
    phone: '4915',
    lastMessageId: 'wamid.1',
  });
});

test('a change that arrives twice or late says the same', () => {
  const knownPeople = people(person({}));
  const change = () => knownPeople.rename({ userId }, { userId: 'DE.2' });
  expect([change(), change()]).toEqual([{ from: userId, to: 'DE.2' }, undefined]);
  expect(people().rename({ userId }, { userId: 'DE.2' })).toEqual({ from: userId, to: 'DE.2' });
  expect(people().rename({ phone }, { userId: 'DE.2' })).toBeUndefined();
});

test('an older message does not move the window back', () => {
  const knownPeople = people(person({ lastMessageId: 'wamid.2', lastMessageAt: now }));
  knownPeople.wrote(userId, { id: 'wamid.1', sentAt: new Date(now.getTime() - 1000) });
  expect(knownPeople.changed).toEqual([]);
});
