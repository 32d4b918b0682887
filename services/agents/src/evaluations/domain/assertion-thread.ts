/** Runs in its own thread, which is terminated when an expression or a schema takes too long. */
import { serveTasks, TaskRefusal } from '@botyard/shared/work/thread-tasks';
import { z } from 'zod';

interface Pattern {
  pattern: string;
  text: string;
}

interface SchemaCheck {
  schema: Record<string, unknown>;
  value: unknown;
}

const maxMessageUnits = 300;

export const tasks = {
  matches: ({ pattern, text }: Pattern): boolean => {
    let expression: RegExp;
    try {
      expression = new RegExp(pattern, 'u');
    } catch {
      throw new TaskRefusal('the pattern is no regular expression');
    }
    return expression.test(text);
  },
  /** The first fault of the value, or `null` if it fits. */
  faultOf: ({ schema, value }: SchemaCheck): string | null => {
    let type: z.ZodType;
    try {
      type = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    } catch {
      throw new TaskRefusal('the JSON Schema cannot be used');
    }
    const [issue] = type.safeParse(value).error?.issues ?? [];
    if (!issue) return null;
    return `${issue.path.map(String).join('.') || 'the value'}: ${issue.message}`.slice(0, maxMessageUnits);
  },
};

serveTasks(tasks);
