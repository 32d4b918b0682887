import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { showsSecret } from '../../../src/admission/domain/verify-secret.ts';

const hash = (secret: string) => createHash('sha256').update(secret).digest();
const none = undefined;

describe.each([true, false])('W-01: with a secret, production %s', (isProduction) => {
  test.each([
    ['no header', [none, none], false],
    ['the right one in the neutral header', ['right', none], true],
    ["the right one in the platform's header", [none, 'right'], true],
    ['the right one in both', ['right', 'right'], true],
    ['one of both wrong', ['right', 'wrong'], false],
    ['the other one wrong', ['wrong', 'right'], false],
    ['a wrong one', [none, 'wrong'], false],
    ['an empty one beside the right one', ['', 'right'], false],
    ['only a part of it', ['righ', none], false],
    ['more than it', ['right!', none], false],
    ['twice in one header', ['right, right', none], false],
    ['the one before', ['former', none], true],
    ['the one before and the present one', ['former', 'right'], true],
  ] as const)('%s', (_what, shown, expected) => {
    expect(showsSecret(shown, [hash('right'), hash('former')], { isProduction })).toBe(expected);
  });
});

test('W-03: without a secret everything is refused in production and accepted elsewhere (REQ-HOOK-2)', () => {
  for (const shown of [
    [none, none],
    ['any', none],
  ] as const) {
    expect(showsSecret(shown, [], { isProduction: true })).toBe(false);
    expect(showsSecret(shown, [], { isProduction: false })).toBe(true);
  }
});
