import { withTenant } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { listChoices } from '../../domain/with-choices.ts';
import type { Deps } from '../deps.ts';
import { claimMissed, listMissedAnswers, listMissing, type Missing } from '../store/missed.ts';
import { connector } from './connection.ts';

const everyMs = 10_000;
/** Longer than a window takes to come back from another page, and than the sweep of open streams. */
const afterMs = 60_000;
/** A limit for each tenant, so that one with many visitors doesn't delay the mails of others. */
const batch = { ofTenant: 50, limit: 500 };
const maxAnswers = 20;

/** Mails the answers that no window of a visitor has got, all of them as one mail. */
export const createMissedMails = (deps: Deps): Worker =>
  createPeriodic({
    name: 'mails of web chats',
    everyMs,
    log: deps.log,
    work: async (isStopped) => {
      for (const visitor of await listMissing(deps.database, { forMs: afterMs, ...batch })) {
        if (isStopped()) return;
        await mailMissed(deps, visitor);
      }
    },
  });

async function mailMissed(deps: Deps, visitor: Missing): Promise<void> {
  const { tenantId, botId, visitorId: platformChatId, language } = visitor;
  const answers = await withTenant(deps.database, [tenantId], (tx) =>
    listMissedAnswers(tx, visitor, maxAnswers),
  );
  const texts = answers.map(({ text, choices, file }) =>
    file ? `[${file.name}]` : listChoices(text, choices ?? []),
  );
  const missed = {
    markdown: texts.toReversed().join('\n\n'),
    isByStaff: answers.some(({ author }) => author === 'staff'),
    language,
  };
  const chat = { tenantId, botId, platform: connector.name, platformChatId };
  await deps.chatMails()?.mail(chat, missed, (tx) => claimMissed(tx, visitor));
}
