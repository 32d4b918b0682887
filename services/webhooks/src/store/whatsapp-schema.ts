import { moment, platformPolicy } from '@botyard/shared/db/columns';
import { boolean, foreignKey, index, jsonb, text, uuid } from '@botyard/shared/db/drizzle';
import { endpoints, tenantTable, webhooks } from './schema.ts';

/** People of a number: their identifiers, and when they last wrote. */
export const whatsappPeople = tenantTable(
  'whatsapp_people',
  ['integrationId', 'personId'],
  {
    integrationId: uuid('integration_id').notNull(),
    /** The business-scoped user id, or the digits of the phone number where the platform told no other. */
    personId: text('person_id').notNull(),
    /** The digits of the number, while it is known. */
    phone: text(),
    /** The identifier that the person has now, if this one is a former one. */
    renamedTo: text('renamed_to'),
    renamedAt: moment('renamed_at'),
    /** The newest message: typing names it, and for 24 hours after it the person may be sent anything. */
    lastMessageId: text('last_message_id'),
    lastMessageAt: moment('last_message_at'),
  },
  (table) => [
    index('whatsapp_people_by_phone').on(table.tenantId, table.integrationId, table.phone),
    foreignKey({
      name: 'whatsapp_people_of_endpoint',
      columns: [table.tenantId, table.integrationId],
      foreignColumns: [endpoints.tenantId, endpoints.integrationId],
    }).onDelete('cascade'),
  ],
);

/** The approved and other templates of a number's account, as the platform last listed them. */
export const whatsappTemplates = tenantTable(
  'whatsapp_templates',
  ['integrationId', 'name', 'language'],
  {
    integrationId: uuid('integration_id').notNull(),
    name: text().notNull(),
    language: text().notNull(),
    status: text().notNull(),
    category: text().notNull(),
    /** Whether its gaps have names instead of numbers. */
    isNamed: boolean('is_named').notNull(),
    components: jsonb().$type<readonly Readonly<Record<string, unknown>>[]>().notNull(),
    syncedAt: moment('synced_at').notNull().defaultNow(),
  },
  (table) => [
    foreignKey({
      name: 'whatsapp_templates_of_endpoint',
      columns: [table.tenantId, table.integrationId],
      foreignColumns: [endpoints.tenantId, endpoints.integrationId],
    }).onDelete('cascade'),
  ],
);

/** The account of each number: news of an account name no number, or name it as people read it. */
export const whatsappNumbers = webhooks.table(
  'whatsapp_numbers',
  {
    phoneNumberId: text('phone_number_id').primaryKey(),
    businessAccountId: text('business_account_id').notNull(),
    /** The digits of the number. */
    displayNumber: text('display_number').notNull(),
  },
  (table) => [index('whatsapp_numbers_by_account').on(table.businessAccountId), platformPolicy()],
);
