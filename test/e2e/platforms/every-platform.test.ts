import { randomInt } from 'node:crypto';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import { platformNames } from '@botyard/contracts/platform-names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { choices } from './behaviours/choices.ts';
import { equalDigits, type Pair } from './behaviours/equal-digits.ts';
import { filesOfStaff } from './behaviours/files-of-staff.ts';
import { hints } from './behaviours/hints.ts';
import { people } from './behaviours/people.ts';
import { programs } from './behaviours/programs.ts';
import { ratingQuestions } from './behaviours/rating-questions.ts';
import { ratings } from './behaviours/ratings.ts';
import { receiving } from './behaviours/receiving.ts';
import { sending } from './behaviours/sending.ts';
import { type Channel, EveryPlatform } from './rig.ts';

const behaviours = [
  ...receiving,
  ...sending,
  ...hints,
  ...filesOfStaff,
  ...choices,
  ...ratings,
  ...ratingQuestions,
  ...programs,
  ...people,
];

let every: EveryPlatform;
beforeAll(async () => {
  every = await EveryPlatform.start(platformNames);
});
afterAll(() => every?.stop());

describe.each(platformNames)('%s', (name) => {
  const { capabilities, credentials, settings, form, operations } = platformDefinitions[name];
  let channel: Channel;
  beforeAll(async () => {
    [channel] = (await every.connect(name)) as [Channel];
  });

  for (const { name: promise, needs, lacks, run } of behaviours) {
    const hasAll = [needs ?? []].flat().every((ability) => capabilities[ability]);
    if (hasAll && !(lacks && capabilities[lacks])) test(promise, () => run(channel));
  }

  test('it has nothing of the abilities that its definition denies', () => {
    const abilities = {
      groups: channel.bot.newGroup,
      edits: channel.bot.edit,
      deletions: channel.bot.remove,
      challenges: channel.bot.challenge,
      programs: channel.bot.answerByPrograms,
      statuses: channel.bot.report,
      reads: channel.bot.read,
      ratings: channel.bot.rate,
      removals: channel.bot.leave,
      buttons: channel.bot.press,
      typing: channel.bot.typingSeen,
      readMarks: channel.bot.isRead,
      previews: channel.bot.previewsSeen,
      blocks: channel.bot.block,
      renames: channel.bot.rename,
      rates: channel.bot.limit,
    };
    for (const act of [channel.bot.loseAnswer, channel.bot.holdSends])
      expect(act !== undefined).toBe(capabilities.rates);
    expect(channel.bot.unblock !== undefined).toBe(capabilities.blocks);
    expect(channel.bot.comeBack !== undefined).toBe(capabilities.programs);
    for (const [ability, act] of Object.entries(abilities))
      expect([ability, act !== undefined]).toEqual([
        ability,
        capabilities[ability as keyof typeof abilities],
      ]);
  });

  test('the form of the console has every credential and setting', () => {
    const fields = [...Object.keys(credentials.shape), ...Object.keys(settings.shape)];
    expect(Object.keys(form).toSorted()).toEqual(fields.toSorted());
  });

  test('its addresses are in the reference of the API', async () => {
    const reference = await fetch(`${every.system.gatewayUrl}/docs/openapi.json`);
    const { paths } = (await reference.json()) as { paths: Record<string, Record<string, unknown>> };
    for (const { path, method } of operations) expect(Object.keys(paths[path] ?? {})).toContain(method);
  });
});

describe('a bot on two platforms on which people have the same digits', () => {
  let pair: Pair;
  beforeAll(async () => {
    const channels = (await every.connect('messenger', 'whatsapp')) as [Channel, Channel];
    const digits = `49${randomInt(1e9, 9e9)}`;
    const [one, other] = channels.map(({ bot }) => bot.newPersonWithDigits!('Anna', digits));
    pair = { channels, people: [one!, other!] };
  });

  for (const [promise, run] of Object.entries(equalDigits)) test(promise, () => run(pair));
});
