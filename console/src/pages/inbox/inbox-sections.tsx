import { useSeesTenant } from '../../api/acting.tsx';
import { type Section, Sections } from '../../parts/sections.tsx';

const sections: readonly Section[] = [
  { to: '/inbox', title: 'Chats' },
  { to: '/inbox/held-mails', title: 'Held emails' },
  { to: '/inbox/texts', title: 'Labels and replies' },
  { to: '/inbox/senders', title: 'Senders' },
];
const forResponders = sections.filter(({ to }) => to === '/inbox' || to === '/inbox/texts');

export function InboxSections() {
  return <Sections label="Inbox sections" sections={useSeesTenant() ? sections : forResponders} />;
}
