import { Secret } from '@botyard/shared/secrets/secret';
import { signed } from '@botyard/testing/slack/delivery';
import { expect, test } from 'vitest';
import { reasonToRefuse } from '../../../../src/platforms/slack/domain/verify.ts';

const secret = '8f742231b10e8888abcd99yyyzzz85a5';
const body =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
const seconds = 1_531_420_618;
/** The example of the platform's documentation. */
const documented = {
  'x-slack-request-timestamp': String(seconds),
  'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
};
const check = (headers: Record<string, string>, at = seconds, text = body) =>
  reasonToRefuse(headers, Buffer.from(text), [new Secret('another'), new Secret(secret)], at * 1000);

test("the platform's own example is accepted, for five minutes in either direction", () => {
  expect(check(documented)).toBeUndefined();
  expect([check(documented, seconds + 299), check(documented, seconds - 299)]).toEqual([
    undefined,
    undefined,
  ]);
  expect([check(documented, seconds + 301), check(documented, seconds - 301)]).toEqual([
    'old signature',
    'old signature',
  ]);
});

test('another body, another time, another secret and no signature are refused', () => {
  expect(check(documented, seconds, `${body}&`)).toBe('wrong signature');
  expect(check({ ...documented, 'x-slack-request-timestamp': String(seconds + 1) })).toBe('wrong signature');
  expect(check(signed('a third', body, seconds))).toBe('wrong signature');
  expect(check({})).toBe('no signature');
  expect(check({ ...documented, 'x-slack-request-timestamp': 'now' })).toBe('no signature');
  expect(reasonToRefuse(documented, Buffer.from(body), [], seconds * 1000)).toBe('wrong signature');
});
