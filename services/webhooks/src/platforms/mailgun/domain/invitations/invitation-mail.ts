import { speaking, spokenLanguageOf } from '@botyard/words/words';
import { headerText } from '../outbound/header-text.ts';

const maxNameUnits = 80;

/**
 * A tenant chooses its name and those of its agents, and others read them in a mail. So a name is kept to one short
 * line, in which mail programs find no address to turn into a link.
 */
export const shownName = (name: string): string =>
  headerText(
    headerText(name)
      .replace(/[/\\:@<>]+/g, ' ')
      .replace(/\.(?=\S)/g, '. '),
    maxNameUnits,
  ) || '?';

/** The mail that invites a person: plain text, so that nothing in it can be interpreted as markup. */
export function createInvitationMail({
  tenantName,
  language,
  link,
}: {
  tenantName: string;
  language: string;
  link: string;
}): { subject: string; text: string; language: string } {
  const say = speaking(language);
  const tenant = shownName(tenantName);
  return {
    subject: headerText(say('invite_subject', { tenant })),
    text: [
      say('mail_hello'),
      say('invite_came', { tenant }),
      say('invite_accept'),
      link,
      say('invite_end'),
    ].join('\n\n'),
    language: spokenLanguageOf(language),
  };
}
