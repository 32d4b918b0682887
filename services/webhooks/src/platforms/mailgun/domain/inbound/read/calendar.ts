import { oneLine } from './headers.ts';

/** An invitation, or an answer to one, that came with a mail (RFC 5546). */
export interface Calendar {
  /** In lower case: `request`, `reply`, `cancel`; empty for a mail without a calendar. */
  method: string;
  /** The part that a mail program shows: `[invitation: Lunch, 20261120T120000Z, Café Luna]`. Empty for other mail. */
  words: string;
}

const maxUnits = 20_000;
const maxUnitsOfValue = 300;
const kinds: Readonly<Record<string, string>> = {
  request: 'invitation',
  publish: 'calendar entry',
  add: 'invitation',
  cancel: 'cancelled invitation',
};

/** Reads the mailer's `body-calendar`, or else the `method` of the mail's type. Only the first event is read. */
export function readCalendar(posted: string | undefined, contentType = ''): Calendar {
  const text = (posted ?? '').slice(0, maxUnits).replace(/\r?\n[ \t]/g, '');
  const [, ofType = ''] = /\bmethod\s*=\s*"?([a-z]{1,20})/i.exec(contentType.slice(0, 1000)) ?? [];
  const method = (propertyOf(text, 'METHOD') || ofType).toLowerCase();
  const kind = kinds[method];
  const event = text.slice(Math.max(0, text.search(/^BEGIN:VEVENT/im)));
  const said = ['SUMMARY', 'DTSTART', 'LOCATION']
    .map((name) => propertyOf(event, name))
    .filter((value) => value !== '');
  return { method, words: kind === undefined || said.length === 0 ? '' : `[${kind}: ${said.join(', ')}]` };
}

function propertyOf(text: string, name: string): string {
  const [, value = ''] =
    new RegExp(`^${name}(?:;[^:\\r\\n]{0,200})?:([^\\r\\n]{0,${maxUnitsOfValue}})`, 'im').exec(text) ?? [];
  return oneLine(
    value
      .replace(/\\([,;\\])/g, '$1')
      .replace(/\\n/gi, ' ')
      .replace(/[[\]]/g, ''),
    maxUnitsOfValue,
  );
}
