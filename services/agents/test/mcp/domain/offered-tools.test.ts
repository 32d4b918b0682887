import { expect, test } from 'vitest';
import { toolIdOf, uniqueNames } from '../../../src/mcp/domain/offered-tools.ts';

const [one, other] = ['019ace00-0000-7000-8000-000000000001', '019ace00-0000-7000-8000-000000000002'];
const ofServer = (serverId: string, ...names: string[]) => names.map((name) => ({ serverId, name }));

test('a name that models accept and that no other tool has stays as it is', () => {
  expect(uniqueNames(ofServer(one, 'echo', 'get-sum', 'Send_Note'), new Set())).toEqual([
    'echo',
    'get-sum',
    'Send_Note',
  ]);
});

test('no two tools have the same name for models, and each name is 64 characters at most of A-Za-z0-9_-', () => {
  const long = 'x'.repeat(128);
  const tools = [
    ...ofServer(one, 'echo', 'a.b', 'a_b', long, '0', '.', '-'),
    ...ofServer(other, 'echo', 'a.b', long, 'taken'),
  ];
  const names = uniqueNames(tools, new Set(['taken']));
  expect(new Set([...names, 'taken']).size).toBe(tools.length + 1);
  for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
});

test('a name does not depend on the other tools that share it', () => {
  const [first] = uniqueNames([...ofServer(one, 'echo'), ...ofServer(other, 'echo')], new Set());
  expect(uniqueNames(ofServer(one, 'echo'), new Set(['echo']))).toEqual([first]);
});

test('a tool of a server has one identifier, and that of another server or name has another', () => {
  const idOf = (serverId: string, name: string) => toolIdOf({ serverId, name });
  expect(idOf(one, 'echo')).toBe(idOf(one, 'echo'));
  expect(new Set([idOf(one, 'echo'), idOf(one, 'Echo'), idOf(other, 'echo')]).size).toBe(3);
});
