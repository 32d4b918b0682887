import { normalUserId } from '@botyard/contracts/http/platform';
import { alias } from '@botyard/shared/db/drizzle';
import { countOf, exists } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { mutes } from '../../store/authorization-schema.ts';

const isTheirs = (table: string) =>
  `${table}.tenant_id = $tenantId and ${table}.platform = who.platform and (${table}.until is null or ${table}.until > now())
   and ${table}.platform_user_id = who.normal_id`;
const { platform, platformUserId } = mutes;
const who = unnest('who', { platform, platformUserId, normalId: platformUserId.getSQLType() });
const listed = alias(mutes, 'who');
const permissions = columns({
  platform: listed.platform,
  platformUserId: listed.platformUserId,
  /** Whether they are muted for any bot of the tenant. */
  isMuted: exists(`from tenancy.mutes m where ${isTheirs('m')}`),
  privateChatGrants: countOf(`from tenancy.private_chat_grants g where ${isTheirs('g')}`),
});
type PersonPermissions = RowOf<typeof permissions>;

/** Mutes and grants of these people over all bots of a tenant. */
export const listPeoplePermissions = preparedStatement({
  name: 'tenancy.people.permissions',
  text: typedSql`select ${permissions} from ${who}`,
  values: (people: readonly Pick<PersonPermissions, 'platform' | 'platformUserId'>[], tenantId: string) => ({
    tenantId,
    ...who.values(
      people.map((one) => ({ ...one, normalId: normalUserId(one.platform, one.platformUserId) })),
    ),
  }),
});
