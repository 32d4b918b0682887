import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { Step, Tables } from '../support/tables.ts';
import { addBot, say } from './agents-world.ts';

/** Before the erasure in the samples, and within the counted period. */
const receivedAt = '2026-11-20T18:39:00.000Z';

/** A message that came when the samples were written: its identifier is of that time, too. */
export const sayThen: Step = (lone, world) =>
  say({ receivedAt, deliveryId: uuidv7({ msecs: Date.parse(receivedAt) }) })(lone, world);

/** The samples' person is the one who has written to the bot. */
const hasWritten: Step = async (lone, world) => {
  await addBot()(lone, world);
  await sayThen(lone, world);
  const account = { platform: 'messenger', platformUserId: '5512345678' } as const;
  world.meet({ personId: personIdOfAccount(world.tenantId, account) });
};

/** The answers while a person is erased. */
export const erasureAnswers: Tables['answers'] = {
  'agents.person.find.v1': async (lone, world) => {
    await hasWritten(lone, world);
    const conversationId = world.id('conversationId');
    return ({ conversations }) => expect(conversations).toEqual([{ conversationId, isPrivate: true }]);
  },
  'agents.person.erase.v1': async (lone, world) => {
    await hasWritten(lone, world);
    return ({ receipts }) => expect(receipts).toContainEqual({ store: 'agents.messages', erased: 1 });
  },
};
