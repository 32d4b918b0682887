import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { TextExtraction } from './domain/extract-texts.ts';
import type { Spool } from './domain/spool.ts';

export interface Deps extends Foundation {
  /** Default limit on the stored bytes of a tenant's mails, and of files of its chats; `null` is unlimited. */
  mailStorageBytes: number | null;
  /** How long original mails, and files of mails and chats, are kept; `null` means without a limit. */
  mailRetentionDays: number | null;
  /** Files of mails and of chats, by tenant. */
  objects: ObjectStore;
  /** Files that are being examined. */
  spool: Spool;
  textExtraction: TextExtraction;
  tenantPurge: Pick<TenantPurge, 'wake'>;
}
