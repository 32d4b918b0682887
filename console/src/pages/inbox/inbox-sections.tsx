import { Sections } from '../../parts/sections.tsx';

const sections = [
  { to: '/inbox', title: 'Chats' },
  { to: '/inbox/held-mails', title: 'Held emails' },
  { to: '/inbox/texts', title: 'Labels and replies' },
  { to: '/inbox/senders', title: 'Senders' },
] as const;

export const InboxSections = () => <Sections label="Inbox sections" sections={sections} />;
