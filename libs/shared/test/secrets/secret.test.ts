import { inspect } from 'node:util';
import pino from 'pino';
import { expect, test } from 'vitest';
import { mask, Secret } from '../../src/secrets/secret.ts';

const secret = new Secret('s3cr3t-value');

test('S-02: reveal gives the value, and nothing else does', () => {
  expect(secret.reveal()).toBe('s3cr3t-value');
  const printed = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ deep: [secret] }, { showHidden: true, depth: 5 }),
    JSON.stringify({ ...secret }),
    JSON.stringify(Object.entries(secret)),
    new Error(`with ${secret}`).message,
  ].join('\n');
  expect(printed).not.toContain('s3cr3t');
  expect(printed).toContain('[secret]');
});

test('S-02: a log that is given a secret prints none', () => {
  const lines: string[] = [];
  pino({}, { write: (line) => lines.push(line) }).info({ secret, deep: { list: [secret] } }, 'look');
  expect(lines.join('')).toContain('[secret]');
  expect(lines.join('')).not.toContain('s3cr3t');
});

test('a secret can not be cloned into another thread with its value', () => {
  expect(JSON.stringify(structuredClone({ ...secret }))).toBe('{}');
});

test.each([
  ['sk-proj-0123456789MxYA', '…MxYA'],
  ['123456789012', '…9012'],
  ['12345678901', '…'],
  ['', '…'],
])('mask(%o) is %o', (plain, masked) => {
  expect(mask(plain)).toBe(masked);
});
