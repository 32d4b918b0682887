/** Runs in its own thread, which is terminated when a text takes too long. */
import { serveTasks, TaskRefusal } from '@botyard/shared/work/thread-tasks';
import {
  type Document,
  isAlias,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Range,
  visit,
} from 'yaml';

/** The content of a YAML text, and the lines at which the items of its list begin. */
export interface ParsedYaml {
  content: unknown;
  lineOfItems: number[];
}

export const tasks = {
  parse: (text: string): ParsedYaml => {
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, logLevel: 'error' });
    const fault = faultOf(document);
    if (!fault) {
      const { contents } = document;
      const items = isSeq(contents) ? contents.items : [];
      return {
        content: document.toJS({ maxAliasCount: 0 }),
        lineOfItems: items.map((item) => lines.linePos(startOf(item)).line),
      };
    }
    throw new TaskRefusal(`line ${lines.linePos(fault.at).line} of the YAML: ${fault.what}`);
  },
};

interface Fault {
  what: string;
  /** The offset in the text. */
  at: number;
}

/** Refuses what makes a text mean something else than it seems to, or more than it holds. */
function faultOf({ errors, warnings, directives, contents }: Document.Parsed): Fault | undefined {
  const [error] = [...errors, ...warnings];
  if (error) {
    const isDuplicate = error.code === 'DUPLICATE_KEY';
    return { what: isDuplicate ? 'a key is there twice' : 'this is not YAML', at: error.pos[0] };
  }
  if (directives.yaml.explicit) return { what: 'a directive is not possible here', at: 0 };
  let fault: Fault | undefined;
  visit(contents, (_key, node) => {
    const what = trapOf(node as Node);
    if (what === undefined) return undefined;
    fault = { what, at: startOf(node) };
    return visit.BREAK;
  });
  return fault;
}

const startOf = (node: unknown): number => (node as { range?: Range | null } | null)?.range?.[0] ?? 0;

function trapOf(node: Node & { anchor?: string; tag?: string }): string | undefined {
  if (isAlias(node)) return 'an alias is not possible here';
  if (node.anchor !== undefined) return 'an anchor is not possible here';
  return node.tag === undefined ? undefined : 'a tag is not possible here';
}

serveTasks(tasks);
