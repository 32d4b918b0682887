import type { OutboundFile } from '@botyard/contracts/events/attachments';
import type { PlatformName } from '@botyard/contracts/http/platform';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';

/** A file of staff before its message: with the row of a file, and nobody who has sent it. */
interface NewFile {
  tenantId: string;
  botId: string;
  conversationId: string;
  platform: PlatformName;
  mediaId: string;
  name: string;
}

/** Its bytes are recorded by `insertUnclaimed`, and stay when a reply claims them. */
export const insertOutboundFile = preparedStatement({
  name: 'webhooks.media.insert_outbound',
  text: `insert into webhooks.media
           (tenant_id, media_id, bot_id, conversation_id, platform, sender_id, name, state, due_at)
         values ($tenantId, $mediaId, $botId, $conversationId, $platform, '', $name, 'kept', null)`,
  values: (file: NewFile) => ({ ...file }),
});

/** Keeps the files of replies. One that was removed meanwhile stays removed. */
export const claimFiles = preparedStatement({
  name: 'webhooks.media.claim_outbound',
  text: `update webhooks.mail_attachments set remove_at = null
         where tenant_id = any ($1::uuid[]) and mail_id = any ($2::uuid[]) and remove_at > now()`,
  values: (replies: readonly { tenantId: string; file: OutboundFile | null }[]) => {
    const files = replies.flatMap(({ tenantId, file }) => (file ? { tenantId, mediaId: file.mediaId } : []));
    return [files.map(({ tenantId }) => tenantId), files.map(({ mediaId }) => mediaId)];
  },
});
