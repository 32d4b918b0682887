import { sendWithdrawalMail } from '@botyard/contracts/events/webhook-requests';
import { ask } from '@botyard/shared/bus/requests';
import type { InstallationMails } from '../../installation-mails/domain/send-mails.ts';
import {
  type ClaimedReleaseMail,
  claimReleaseMail,
  isReleaseMailDue,
  pruneReleaseMails,
  settleReleaseMail,
} from '../store/release-mails.ts';

export const releaseMails: InstallationMails<ClaimedReleaseMail> = {
  topic: 'mails of releases',
  isDue: isReleaseMailDue,
  claim: claimReleaseMail,
  send: ({ bus, publicBaseUrl }, { tenantId, mailId, email, agentId, agentName, version, reason }) => {
    const link = `${publicBaseUrl}/agents/${agentId}`;
    return ask(bus, sendWithdrawalMail, { tenantId, mailId, email, agentName, version, reason, link });
  },
  settle: settleReleaseMail,
  prune: pruneReleaseMails,
};
