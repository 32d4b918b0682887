import { countOf, number } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';

const isActive = '(until is null or until > now())';
const counts = columns({
  activeMutes: countOf(`from tenancy.mutes where tenant_id = $1 and ${isActive}`),
  restrictedChannels: countOf(`from tenancy.chat_rules where tenant_id = $1 and channels = 'granted'`),
  restrictedPrivateChats: countOf(
    `from tenancy.chat_rules where tenant_id = $1 and private_chats = 'granted'`,
  ),
  channelGrants: countOf('from tenancy.channel_grants where tenant_id = $1'),
  privateChatGrants: countOf(`from tenancy.private_chat_grants where tenant_id = $1 and ${isActive}`),
  policies: countOf('from tenancy.policies where tenant_id = $1'),
  admins: number(`count(*) filter (where relation = 'admin')`),
  members: number(`count(*) filter (where relation = 'member')`),
});

const text = typedSql`
  select ${counts} from (select role as relation from tenancy.memberships where tenant_id = $1
    union all select relation from tenancy.edges where tenant_id = $1) as related`;

export const countAuthorization = preparedStatement({
  name: 'tenancy.authorization.counts',
  text,
  values: (tenantId: string) => [tenantId],
  result: ([row]) => row!,
});
