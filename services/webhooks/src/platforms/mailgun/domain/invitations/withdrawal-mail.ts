import { headerText } from '../outbound/header-text.ts';
import { shownName } from './invitation-mail.ts';

const maxReasonUnits = 500;

/** The mail about a withdrawn release: plain text in English, so that nothing in it can be interpreted as markup. */
export function createWithdrawalMail({
  agentName,
  version,
  reason,
  link,
}: {
  agentName: string;
  version: number;
  reason: string;
  link: string;
}): { subject: string; text: string; language: string } {
  const agent = shownName(agentName);
  return {
    subject: headerText(`Version ${version} of ${agent} was withdrawn`),
    text: [
      'Hello,',
      `Botyard has withdrawn version ${version} of the agent ${agent}: the live version answers everywhere again.`,
      `Reason: ${headerText(reason, maxReasonUnits)}.`,
      'The evidence is on the page of the agent:',
      link,
    ].join('\n\n'),
    language: 'en',
  };
}
