import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { Step, Tables } from '../support/tables.ts';
import { addBot, say } from './agents-steps.ts';

/** Before the erasure in the samples, and within the counted period. */
const receivedAt = '2026-11-20T18:39:00.000Z';

/** A message that came when the samples were written: its identifier is of that time, too. */
export const sayThen: Step = (sut, tenant) =>
  say({ receivedAt, deliveryId: uuidv7({ msecs: Date.parse(receivedAt) }) })(sut, tenant);

/** The samples' person is the one who has written to the bot. */
const hasWritten: Step = async (sut, tenant) => {
  await addBot()(sut, tenant);
  await sayThen(sut, tenant);
  const account = { platform: 'messenger', platformUserId: '5512345678' } as const;
  tenant.useIds({ personId: personIdOfAccount(tenant.tenantId, account) });
};

/** The answers while a person is erased. */
export const erasureAnswers: Tables['answers'] = {
  'agents.person.find.v1': async (sut, tenant) => {
    await hasWritten(sut, tenant);
    const conversationId = tenant.id('conversationId');
    return ({ conversations }) =>
      expect(conversations).toEqual([
        { conversationId, platform: 'messenger', platformChatId: '5512345678', isPrivate: true },
      ]);
  },
  'agents.person.erase.v1': async (sut, tenant) => {
    await hasWritten(sut, tenant);
    return ({ receipts }) => expect(receipts).toContainEqual({ store: 'agents.messages', erased: 1 });
  },
};
