import { platforms } from 'virtual:platforms';
import type { Schema } from '@botyard/client/client';
import { Link, useParams } from '@tanstack/react-router';
import { useActing } from '../../api/acting.tsx';
import { useAnswer, useList } from '../../api/use-answer.ts';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { ChatIdentity } from './chat-identity.tsx';
import { LookForm } from './look-form.tsx';

const path = '/api/bots/{tenantId}/{botId}/integrations';

/** Look and words of a channel that is our own, with a preview. */
export function ChatLook() {
  const { botId = '' } = useParams({ strict: false });
  const tenantId = useActing().tenantId ?? '';
  const names = { tenantId, botId };
  const isEnabled = tenantId !== '';
  const bot = useAnswer('/api/bots/{tenantId}/{botId}', { path: names, enabled: isEnabled });
  const channels = useList(path, { path: names, enabled: isEnabled });
  const back = (
    <Link
      to="/bots/$botId"
      params={{ botId }}
      className="inline-flex min-h-9 items-center rounded-md border border-line px-3 py-1 text-sm font-medium hover:bg-hover"
    >
      Back to the bot
    </Link>
  );
  return (
    <Page
      title={`Look of ${bot.data?.name ?? 'the chat'}`}
      about="The chat as visitors see it. The preview shows what you type, and sends nothing."
      answers={[channels]}
      actions={back}
    >
      <Loaded answer={channels}>{(items) => <Look channels={items} />}</Loaded>
    </Page>
  );
}

function Look({ channels }: { channels: readonly Schema<'Integration'>[] }) {
  const form = platforms.find(
    ({ name, previewPath }) =>
      previewPath && channels.some(({ integrationType }) => integrationType === name),
  );
  const channel = channels.find(({ integrationType }) => integrationType === form?.name);
  if (!form?.previewPath || !channel)
    return <Empty title="No chat of its own.">Connect the bot to a web chat first.</Empty>;
  return (
    <>
      <LookForm channel={channel} previewPath={form.previewPath} />
      <ChatIdentity channel={channel} />
    </>
  );
}
