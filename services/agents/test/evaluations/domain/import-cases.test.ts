import { randomUUID } from 'node:crypto';
import { HttpError } from '@botyard/shared/http/errors';
import { maxGrowth, measureGrowth } from '@botyard/testing/growth';
import { describe, expect, test } from 'vitest';
import { readCases } from '../../../src/evaluations/domain/import-cases.ts';
import { readCsv } from '../../../src/evaluations/domain/read-csv.ts';

const tenantId = randomUUID();
const csv = (...lines: string[]) => readCases(tenantId, { format: 'csv', text: lines.join('\n') });
const yaml = (text: string) => readCases(tenantId, { format: 'yaml', text });

async function refusalOf(
  reading: Promise<unknown>,
): Promise<Pick<HttpError, 'status' | 'message' | 'issues'>> {
  const refusal = await reading.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal instanceof HttpError) return refusal;
  throw refusal ?? new Error('it was not refused');
}

describe('cases from CSV', () => {
  test('a line is a case, and each other column is an assertion', async () => {
    const [hours, parcel] = await csv(
      '\uFEFFName,message,contains,not_contains,tool_called',
      'Hours,"When, on ""Sunday""?",10,closed,',
      '',
      ',Where is my parcel?,,,find_order',
    );
    expect(hours).toMatchObject({
      name: 'Hours',
      messages: [{ role: 'user', text: 'When, on "Sunday"?' }],
      recording: { tools: [], passages: [], now: null },
      assertions: [
        { type: 'contains', text: '10' },
        { type: 'not_contains', text: 'closed' },
      ],
    });
    expect(parcel).toMatchObject({
      name: 'Where is my parcel?',
      assertions: [{ type: 'tool_called', name: 'find_order' }],
    });
  });

  test('a cell in quotation marks keeps its line breaks', async () => {
    expect(await csv('message', '"one\r\ntwo"')).toMatchObject([{ messages: [{ text: 'one\r\ntwo' }] }]);
  });

  test('semicolons separate cells if the first line has no comma, and lines may end in any way', async () => {
    const read = csv('message;contains\r\nOpen on Sunday, or closed?;"10;30"\rAnd "today"?;');
    expect(await read).toMatchObject([
      {
        messages: [{ text: 'Open on Sunday, or closed?' }],
        assertions: [{ type: 'contains', text: '10;30' }],
      },
      { messages: [{ text: 'And "today"?' }], assertions: [] },
    ]);
  });

  test('empty columns at the end, as spreadsheets write them, are no fault', async () => {
    expect(await csv('message,,', 'Hello,,', 'Hallo')).toHaveLength(2);
  });

  test.each([
    [
      'no header',
      ['When do you open?', 'On Sunday?'],
      ['line 1 has to name the columns', 'line 1, column 1: '],
    ],
    ['a header without messages', ['name', 'a'], ['line 1 has to name the columns']],
    ['a column that means nothing', ['message,answer', 'a,b'], ['line 1, column 2: the name is none of']],
    ['a column that is there twice', ['message,name, Message', 'a,b,c'], ['line 1, column 3: there are two']],
    [
      'too many cells',
      ['\uFEFFmessage,name', '"one', 'two",a', '', 'Hello, you,b,c', 'Hi,a,b'],
      ['line 5, column 3: the first line names no such column', 'line 6, column 3: '],
    ],
    ['text under a column without a name', ['message,,name', 'a,b,c'], ['line 2, column 2: ']],
  ])('%s is a fault with its line and column', async (_what, lines, messages) => {
    const { status, issues } = await refusalOf(csv(...lines));
    expect(status).toBe(400);
    expect(issues?.map(({ message }) => message)).toEqual(
      messages.map((message) => expect.stringContaining(message)),
    );
  });

  test.each([
    [
      'not closed',
      ['message,name', 'a,b', 'c,"d', 'e,f'],
      'line 3, column 2 of the CSV: the quotation mark is not',
    ],
    [
      'closed too early',
      ['message', '"one', 'two" three'],
      'line 3, column 1 of the CSV: there is text after',
    ],
  ])('a quotation mark that is %s is a fault with its line and column', async (_what, lines, message) => {
    const refusal = await refusalOf(csv(...lines));
    expect([refusal.status, refusal.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test('each faulty cell is named with its line and column', async () => {
    const { issues } = await refusalOf(
      csv('message,language', '"Hello', 'you",en', '', ',de', 'Hallo,German'),
    );
    expect(issues).toEqual([
      { path: '1.messages.0.text', message: expect.stringMatching(/, line 5, column 1 \(message\)$/) },
      { path: '2.assertions.0.language', message: expect.stringMatching(/, line 6, column 2 \(language\)$/) },
    ]);
  });

  test.each(['"', '""', ',"a', ' "', '"\n', ' ', ',', '\r\n'])(
    'a text of %j is read in linear time',
    async (unit) => {
      const read = (text: string): unknown => {
        try {
          return readCsv(text);
        } catch (error) {
          return error;
        }
      };
      const make = (size: number) => unit.repeat(size / unit.length);
      expect((await measureGrowth({ make, read, size: 20_000 })).perByte).toBeLessThan(maxGrowth);
    },
  );
});

describe('cases from YAML', () => {
  test('a list of cases is read as a body is', async () => {
    const [one] = await yaml(`
- name: Hours
  messages:
    - { role: user, text: When do you open? }
  recording:
    now: 2026-01-01T10:00:00Z
    tools: [{ name: hours, arguments: { day: sunday }, result: '10 to 12' }]
  assertions:
    - { type: contains, text: '10' }
`);
    expect(one).toMatchObject({
      name: 'Hours',
      recording: { now: '2026-01-01T10:00:00Z', tools: [{ outcome: 'ok', result: '10 to 12' }] },
    });
  });

  test.each([
    ['a map', 'name: Hours'],
    ['broken text', '- {'],
    ['U+0000', '- name: "a\\0"\n  messages: [{ role: user, text: Hello }]'],
  ])('%s is refused', async (_what, text) => {
    expect((await refusalOf(yaml(text))).status).toBe(400);
  });

  test.each([
    ['an anchor', '- name: a\n- &a { name: b }', 'line 2 of the YAML: an anchor'],
    ['an alias', '- &a { name: a }\n- *a', 'line 1 of the YAML: an anchor'],
    ['an alias of nothing', '- name: a\n\n- *a', 'line 3 of the YAML'],
    ['a tag', '- name: a\n- name: !!str 1', 'line 2 of the YAML: a tag'],
    ['a tag of its own', '- name: a\n- !case { name: b }', 'line 2 of the YAML'],
    [
      'a key that is there twice',
      '- name: a\n  messages: []\n  name: b',
      'line 3 of the YAML: a key is there twice',
    ],
    ['a key of a flow that is there twice', '- { a: 1, "a": 2 }', 'line 1 of the YAML: a key is there twice'],
    ['an older version', '%YAML 1.1\n---\n- name: yes', 'line 1 of the YAML: a directive'],
    ['a second document', '- name: a\n---\n- name: b', 'line 2 of the YAML'],
  ])('%s is refused with its line', async (_what, text, message) => {
    const refusal = await refusalOf(yaml(text));
    expect(refusal.status).toBe(400);
    expect(refusal.message).toContain(message);
  });

  test('a fault of a case names the line at which the case begins', async () => {
    const good = '- name: a\n  messages:\n    - { role: user, text: b }\n';
    const refusal = await refusalOf(yaml(`# Cases\n${good}\n${good}- name: c\n-\n`));
    expect(refusal.issues).toEqual([
      { path: '2.messages', message: 'is required, in the case at line 9' },
      { path: '3', message: expect.stringMatching(/, in the case at line 10$/) },
    ]);
  });

  test('a word of YAML 1.1 stays a word', async () => {
    const [one] = await yaml('- name: yes\n  messages: [{ role: user, text: no }]');
    expect(one).toMatchObject({ name: 'yes', messages: [{ text: 'no' }] });
  });

  test('more cases than an import takes are refused', async () => {
    const lines = '- { name: a, messages: [{ role: user, text: b }] }\n';
    expect(await yaml(lines.repeat(1000))).toHaveLength(1000);
    expect((await refusalOf(yaml(lines.repeat(1001)))).message).toContain('1001 cases');
  });

  test('YAML that is made to be slow is refused, and does not hold the process', async () => {
    const keys = Array.from({ length: 40_000 }, (_, index) => `k${index}: 1`).join('\n');
    let turns = 0;
    const watch = setInterval(() => {
      turns += 1;
    }, 10);
    const { status, message } = await refusalOf(yaml(keys.slice(0, 256 * 1024)));
    clearInterval(watch);
    expect([status, message]).toEqual([400, 'the YAML takes too long to read']);
    expect(turns).toBeGreaterThan(10);
  });
});
