import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { yamlOf } from '../src/pages/tests/yaml.ts';

test('an export is YAML that reads as what was written', () => {
  const value = {
    name: 'no: #1 "quoted"\n- line',
    agent: '01920000-0000-7000-8000-000000000001',
    mayUsePlatformKey: false,
    cases: [
      {
        name: 'null',
        messages: [{ role: 'user', text: 'a\u2028b\u0085c\u007f 😀 \t' }],
        recording: {
          tools: [{ arguments: { yes: 1, 'a b': [[1, [2]], {}, []], 'ü:': null } }],
          passages: [],
          now: null,
        },
        assertions: [],
      },
    ],
  };
  expect(parse(yamlOf(value))).toEqual(value);
});
