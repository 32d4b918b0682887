import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { whatsappPeople } from '../../../store/whatsapp-schema.ts';

/** A person of a number, as stored. */
export type KnownPerson = Omit<typeof whatsappPeople.$inferSelect, 'tenantId' | 'integrationId'>;

export interface OfNumber {
  tenantId: string;
  integrationId: string;
}

const { personId, phone, renamedTo, renamedAt, lastMessageId, lastMessageAt } = whatsappPeople;
const personColumns = { personId, phone, renamedTo, renamedAt, lastMessageId, lastMessageAt };

/** With the identifiers that people have by now. */
const listText = typedSql`
  with recursive named as (
    select person_id, renamed_to
    from webhooks.whatsapp_people
    where tenant_id = $1 and integration_id = $2 and (person_id = any ($3::text[]) or phone = any ($3::text[]))
    union
    select p.person_id, p.renamed_to
    from named join webhooks.whatsapp_people p
      on p.tenant_id = $1 and p.integration_id = $2 and p.person_id = named.renamed_to
  )
  select ${columns(personColumns)}
  from webhooks.whatsapp_people
  where tenant_id = $1 and integration_id = $2 and person_id in (select person_id from named)`;

/** The people behind these identifiers and numbers, under all their identifiers. */
export const listPeople = preparedStatement({
  name: 'webhooks.whatsapp_people.list',
  text: listText,
  values: ({ tenantId, integrationId }: OfNumber, identifiers: readonly string[]) => [
    tenantId,
    integrationId,
    identifiers,
  ],
});

const input = unnest('input', personColumns);

/** The newest message wins: notifications are read at the same time, in any order. */
const saveText = `
  insert into webhooks.whatsapp_people as p (tenant_id, integration_id, ${input.columns})
  select $tenantId::uuid, $integrationId::uuid, ${input.columns}
  from ${input}
  order by person_id
  on conflict (tenant_id, integration_id, person_id) do update set
    phone = excluded.phone,
    renamed_to = excluded.renamed_to,
    renamed_at = excluded.renamed_at,
    last_message_id = case
      when p.last_message_at > excluded.last_message_at then p.last_message_id
      else coalesce(excluded.last_message_id, p.last_message_id)
    end,
    last_message_at = greatest(p.last_message_at, excluded.last_message_at)`;

/** People with these identifiers or numbers, under all identifiers that they had. Returns the number of rows. */
export const deletePeople = preparedStatement({
  name: 'webhooks.whatsapp_people.delete',
  text: `with recursive erased as (
           select person_id, renamed_to
           from webhooks.whatsapp_people
           where tenant_id = $1 and (person_id = any ($2::text[]) or phone = any ($2::text[]))
           union
           select p.person_id, p.renamed_to
           from erased join webhooks.whatsapp_people p
             on p.tenant_id = $1 and (p.renamed_to = erased.person_id or p.person_id = erased.renamed_to)
         )
         delete from webhooks.whatsapp_people
         where tenant_id = $1 and person_id in (select person_id from erased)
         returning 1`,
  values: ({ tenantId, identifiers }: { tenantId: string; identifiers: readonly string[] }) => [
    tenantId,
    identifiers,
  ],
  result: (rows) => rows.length,
});

export const savePeople = preparedStatement({
  name: 'webhooks.whatsapp_people.save',
  text: saveText,
  values: (number: OfNumber, people: readonly KnownPerson[]) => {
    const { tenantId, integrationId } = number;
    return { tenantId, integrationId, ...input.values([...people]) };
  },
});
