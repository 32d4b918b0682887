import { speaking, spokenLanguageOf } from '@botyard/words/words';
import { headerText } from '../outbound/header-text.ts';

const maxNameUnits = 80;

/**
 * A tenant chooses its name, and strangers read it in a mail of ours: it stays one short line, in which mail programs
 * find no address to make a link of.
 */
const shownName = (name: string): string =>
  headerText(
    headerText(name)
      .replace(/[/\\:@<>]+/g, ' ')
      .replace(/\.(?=\S)/g, '. '),
    maxNameUnits,
  ) || '?';

/** The mail that tells a person of an invitation: plain text, so that nothing in it can be taken for markup. */
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
