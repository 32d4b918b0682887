import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { eventually } from '@botyard/testing/eventually';
import { expect } from 'vitest';
import type { Step, Tables } from '../support/tables.ts';
import { linkTo } from './webhooks-steps.ts';

/** The answers while a person is erased. */
export const erasureAnswers = (hasReply: Step): Tables['answers'] => ({
  'webhooks.person.find.v1': async (sut, tenant) => {
    await linkTo(sut, tenant);
    const account = { platform: 'email', platformUserId: 'anna@example.com' } as const;
    tenant.useIds({ personId: personIdOfAccount(tenant.tenantId, account) });
    return (answer) => expect(answer).toEqual({ accounts: [account] });
  },
  'webhooks.person.erase.v1': async (sut, tenant) => {
    await hasReply(sut, tenant);
    // Older than the request, and no longer on its way.
    await eventually('the reply is sent', async () => {
      const rows = await sut.rows(
        `update webhooks.replies set created_at = '2026-11-20T18:39:00Z'
         where tenant_id = $1 and state not in ('waiting', 'queued') returning 1`,
        [tenant.tenantId],
      );
      return rows.length === 1;
    });
    return ({ receipts }) => expect(receipts).toContainEqual({ store: 'webhooks.replies', erased: 1 });
  },
});
