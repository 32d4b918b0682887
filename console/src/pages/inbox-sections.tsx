import { Sections } from '../parts/sections.tsx';

const sections = [
  { to: '/inbox', title: 'Chats' },
  { to: '/inbox/held-mails', title: 'Held mails' },
  { to: '/inbox/senders', title: 'Senders' },
] as const;

export const InboxSections = () => <Sections label="Pages of the inbox" sections={sections} />;
