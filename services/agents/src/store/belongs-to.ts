import { type AnyPgColumn, foreignKey } from '@botyard/shared/db/drizzle';

type Row = { tenantId: unknown };

/**
 * A foreign key within the tenant, by which a row is deleted with the row that it belongs to. `columns` names the
 * parent's column for each of the row's own.
 */
export function belongsTo<Child extends Row, Parent extends Row>(
  name: string,
  child: Child,
  parent: Parent,
  columns: { readonly [Own in keyof Child]?: keyof Parent },
) {
  const columnsOf = (row: Row, names: readonly PropertyKey[]) =>
    ['tenantId', ...names].map((column) => (row as Record<PropertyKey, unknown>)[column] as AnyPgColumn) as [
      AnyPgColumn,
      ...AnyPgColumn[],
    ];
  return foreignKey({
    name,
    columns: columnsOf(child, Object.keys(columns)),
    foreignColumns: columnsOf(parent, Object.values(columns) as PropertyKey[]),
  }).onDelete('cascade');
}
