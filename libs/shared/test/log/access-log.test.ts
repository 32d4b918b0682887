import { createAccessLog, createLog } from '@botyard/shared/log/log';
import { expect, test } from 'vitest';

const logTo = (lines: string[], level = 'info') =>
  createLog('gateway', level, { write: (line) => void lines.push(line) });

test('a closing line is as the log itself writes lines', () => {
  const lines: string[] = [];
  const log = logTo(lines);
  const fields = { requestId: 'a"b\n', status: 200, tenantId: undefined, aborted: false };
  log.info(fields, 'request');
  createAccessLog(log)(fields);
  const [asLogged, closing] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const { time, ...rest } = closing!;
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { time: _time, pid: _pid, ...others } = asLogged!;
  expect(rest).toEqual(others);
  expect(lines[1]).toMatch(/^\{"level":"info","time":"[^\n]*\}\n$/);
});

test('a log that is louder has no closing lines', () => {
  const lines: string[] = [];
  const log = logTo(lines, 'warn');
  createAccessLog(log)({ status: 200 });
  expect(lines).toEqual([]);
});
