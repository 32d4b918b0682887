import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import type { Group, Person } from '@botyard/testing/platforms/driver';
import { expect } from 'vitest';
import type { Behaviour, Channel } from '../rig.ts';

type Rating = 'up' | 'down' | null;

/** A question and its answer, which people rate. */
async function askedBy(channel: Channel, person: Person, group?: Group) {
  const text = `rate me ${randomUUID()}`;
  await channel.ask({ person, text, ...(group ? { group, isAddressed: true } : {}) });
  const chat = await channel.chatWith(text);
  const sent = channel.bot.sentTo(group ?? person).findLast((one) => one.text.includes(text))!;
  const rate = async (rating: Rating, by = person) => {
    // A platform repeats what comes before the end of the send is stored.
    for (const delivery of channel.bot.rate!(sent, rating, by))
      await eventually('the rating is taken', async () => (await channel.post(delivery)).status === 200);
  };
  const shows = (rating: Rating) =>
    eventually(`the inbox shows the rating ${rating}`, async () => {
      const answer = (await channel.messagesIn(chat)).findLast(({ direction }) => direction === 'out');
      return (answer?.rating ?? null) === rating;
    });
  return { sent, rate, shows, chat };
}

export const ratings: readonly Behaviour[] = [
  {
    name: 'a thumb rates the answer for the inbox, the other thumb replaces it, and what is taken back is gone',
    needs: 'ratings',
    run: async (channel) => {
      const { rate, shows, chat } = await askedBy(channel, channel.bot.newPerson('Anna'));
      const before = (await channel.messagesIn(chat)).length;
      for (const rating of ['up', 'down', null, 'down'] as const) {
        await rate(rating);
        await shows(rating);
      }
      expect((await channel.messagesIn(chat)).length).toBe(before);
    },
  },
  {
    name: "a thumb at the answer of another person's chat rates nothing",
    needs: 'ratings',
    run: async (channel) => {
      const { sent, rate, shows } = await askedBy(channel, channel.bot.newPerson('Anna'));
      await rate('up');
      await shows('up');
      const ben = channel.bot.newPerson('Ben');
      const own = await askedBy(channel, ben);
      for (const delivery of channel.bot.rate!(sent, 'down', ben)) await channel.post(delivery);
      await own.rate('up');
      await own.shows('up');
      await shows('up');
    },
  },
  {
    name: 'in a group only the person who asked rates the answer',
    needs: ['ratings', 'groups', 'threads'],
    run: async (channel) => {
      const [anna, ben] = [channel.bot.newPerson('Anna'), channel.bot.newPerson('Ben')];
      const group = channel.bot.newGroup!([anna, ben]);
      const { rate, shows } = await askedBy(channel, anna, group);
      await rate('up');
      await shows('up');
      await rate('down', ben);
      await rate(null);
      await shows(null);
    },
  },
];
