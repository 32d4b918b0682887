import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import type { ReadMedia } from '../../store/stored-attachment.ts';

/** Saves the content read from files with their messages, for later turns. */
export const saveReadMedia = preparedStatement({
  name: 'agents.messages.read_media',
  text: `update agents.messages m set attachment = m.attachment || jsonb_build_object('read', u.read::jsonb - 'objectKey')
         from unnest($2::uuid[], $3::text[]) as u (message_id, read)
         where m.tenant_id = $1 and m.message_id = u.message_id and m.attachment is not null`,
  values: (tenantId: string, read: readonly { messageId: string; read: ReadMedia }[]) => [
    tenantId,
    read.map(({ messageId }) => messageId),
    read.map((one) => JSON.stringify(one.read)),
  ],
});
