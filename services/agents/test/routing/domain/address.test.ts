import { cpuMs } from '@botyard/testing/cpu-time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAddress } from '../../../src/routing/domain/address.ts';
import { agent } from './routed.ts';

const team = [
  agent('sales', [], { name: 'Sales' }),
  agent('sales-team', [], { name: 'Sales Team' }),
  agent('cafe', [], { name: 'Café Ω' }),
  agent('emoji', [], { name: '🦄 Magic' }),
  agent('rtl', [], { name: '\u202eSupport\u202c' }),
  agent('off', [], { name: 'Off', isEnabled: false }),
  agent('nameless', [], { name: '\u200b' }),
];
const read = (text: string) => readAddress(text, team);

describe('a message that begins with the name of an agent', () => {
  test.each([
    ['@sales hello', 'sales', 'hello'],
    ['@SALES, hello', 'sales', 'hello'],
    ['  @Sales: hello', 'sales', 'hello'],
    ['@sales', 'sales', ''],
    ['@sales\nhello', 'sales', 'hello'],
    ['@Sales Team hello', 'sales-team', 'hello'],
    ['@sales-team hello', 'sales-team', 'hello'],
    ['@sales_team hello', 'sales-team', 'hello'],
    ['@sales teams are good', 'sales', 'teams are good'],
    ['@cafe\u0301 ω ouvert?', 'cafe', 'ouvert?'],
    ['@ＳＡＬＥＳ hello', 'sales', 'hello'],
    ['@🦄 magic please', 'emoji', 'please'],
    ['@support hello', 'rtl', 'hello'],
    ['@\u202esupport hello', 'rtl', 'hello'],
    ['/agent sales hello', 'sales', 'hello'],
    ['/agent @sales hello', 'sales', 'hello'],
    ['/AGENT sales team, hello', 'sales-team', 'hello'],
    ['/agent@support_bot sales hello', 'sales', 'hello'],
  ])('%j goes to it, without the name', (text, id, rest) => {
    expect(read(text)).toMatchObject({ to: 'agent', agent: { id }, text: rest });
  });

  test.each([
    ...['@salesman hello', '@sales-people', '@anna hello', 'hello @sales', 'sales', '@', '@ sales', '', ' '],
    ...['@off hello', '/agents sales', '/agentsales', 'mail me@sales'],
  ])('%j names no agent and is not changed', (text) => {
    expect(read(text)).toEqual({ to: 'anybody', text });
  });

  test.each(['/agent', '/agent ', '/agent anna hello', '/agent off hello', '/agent salesman'])(
    '%j is a mistake, which is reported',
    (text) => {
      expect(read(text)).toEqual({ to: 'unknown' });
    },
  );

  test("the bot's first agent is chosen if two have the name", () => {
    const twins = [agent('first', [], { name: 'Twin' }), agent('second', [], { name: 'TWIN' })];
    expect(readAddress('@twin hello', twins)).toMatchObject({ agent: { id: 'first' } });
  });

  test('no word is lost, for any words', () => {
    const anything = fc.string({ unit: 'grapheme', maxLength: 100 });
    fc.assert(
      fc.property(anything, fc.constantFrom('@sales ', '/agent sales ', ''), (words, lead) => {
        const text = `${lead}${words}`;
        const address = readAddress(text, team);
        if (address.to !== 'unknown') expect(text.endsWith(address.text)).toBe(true);
        if (address.to === 'anybody') expect(address.text).toBe(text);
      }),
    );
  });

  test('long names and texts take no time', () => {
    const long = [agent('long', [], { name: 'é'.repeat(200) })];
    expect(cpuMs(() => readAddress(`@${'e\u0301 '.repeat(5000)}`, long))).toBeLessThan(500);
  });
});
