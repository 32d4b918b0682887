import { Hash, type LucideIcon, Mail, MessageCircle, Phone, Plug, Send } from 'lucide-react';

/** The icons that the platforms' definitions name. Only icons that are imported are in the bundle. */
const icons: Readonly<Record<string, LucideIcon>> = {
  hash: Hash,
  mail: Mail,
  'message-circle': MessageCircle,
  phone: Phone,
  send: Send,
};

export function PlatformIcon({ icon }: { icon: string }) {
  const Icon = icons[icon] ?? Plug;
  return (
    <span className="grid size-10 shrink-0 place-items-center rounded-lg bg-accent-tint text-accent">
      <Icon aria-hidden="true" className="size-5" />
    </span>
  );
}
