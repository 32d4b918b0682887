import { Entity, type Entity as EntityType } from '../update.ts';

/** Twice as many as the platform allows. */
const maxEntities = 200;

/** The entities of a text, without invalid ones. */
export const readEntities = (value: unknown): EntityType[] =>
  Array.isArray(value)
    ? value.slice(0, maxEntities).flatMap((item) => {
        const entity = Entity.safeParse(item);
        return entity.success ? [entity.data] : [];
      })
    : [];
