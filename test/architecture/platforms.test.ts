import { expect, test } from 'vitest';
import { decisionsByName } from './platforms.ts';

const faultsIn = (text: string) => decisionsByName({ path: 'tools/example.ts', text: `${text}\n` });

const decisions = {
  'a comparison': "if (platform === 'slack') skip();",
  'a comparison in a template literal': 'if (platform === `slack`) skip();',
  'a comparison with the name on the left': "if ('slack' !== platform) skip();",
  'a comparison on the next line': "const isSlack =\n  platform ===\n  'slack';",
  'a switch': "switch (platform) {\n  case 'whatsapp':\n    return 1;\n}",
  'a record with a key for each platform': 'const limits = {\n  messenger: 4096,\n  slack: 12000,\n};',
  'a record on one line': 'const limits = { messenger: 4096, slack: 12000 };',
  'a record with quoted keys': "const limits = {\n  'messenger': 4096,\n  'email': 100,\n};",
  'a record with computed keys': "const limits = { ['slack']: 12000 };",
  'a record with one platform and email': 'const limits = {\n  email: 100,\n  slack: 12000,\n};',
  'a lookup by name': "const limit = limits['slack'];",
  'a default parameter': "function connect(platform = 'webchat') {}",
  'a default parameter with a type': "function connect(platform: PlatformName = 'webchat') {}",
  'a default of a value': "const platform = request.platform ?? 'email';",
  'an array': "const shown = ['slack', 'whatsapp'];",
  'an array over several lines': "const shown = [\n  'slack',\n  'whatsapp',\n];",
  'a set': "const shown = new Set(['slack']);",
  'an array that ends in a platform': "const shown = [...others, 'slack'];",
  'a union of types': "type Shown = 'slack' | 'whatsapp';",
  'a comparison in a statement': "await sql`select 1 from chats where platform = 'slack'`;",
  'a list in a statement': "await sql`select 1 from chats where platform in ('slack', 'whatsapp')`;",
  'a negated comparison in a statement': "await sql`select 1 from chats where platform <> 'slack'`;",
  'a case in a statement': "await sql`select case platform when 'slack' then 1 end`;",
  'a name on the left in a statement': "await sql`select 1 from chats where 'slack' = platform`;",
  'a cast in a statement': "await sql`select 'slack'::text = platform`;",
};

test.each(Object.entries(decisions))('the rule on names of platforms finds %s', (_, text) => {
  expect(faultsIn(text)).not.toEqual([]);
});

test.each([
  ['a field of a person', "const { email } = person;\nrow['email'] === other;"],
  ['a word in a sentence', "const help = 'Connect slack or whatsapp.';"],
  [
    'settings of integrations',
    'const a = { settings: { slack: {} } };\nconst b = { settings: { email: {} } };',
  ],
  ['one key', 'const icons = {\n  slack: 1,\n};'],
])('the rule on names of platforms allows %s', (_, text) => {
  expect(faultsIn(text)).toEqual([]);
});
