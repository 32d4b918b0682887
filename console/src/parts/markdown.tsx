import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { Fragment, type ReactNode, useMemo } from 'react';

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number];

/** Texts that are longer, or nested deeper, are shown as they are. */
const maxLength = 20_000;
const maxDepth = 30;

/**
 * Shows a bot's text with its formatting. The text is untrusted: HTML stays text, pictures aren't fetched, and a link
 * shows its address behind its words instead of leading there.
 */
export function Markdown({ text }: { text: string }) {
  const shown = useMemo(() => (text.length > maxLength ? text : show(parse(text), 'text')), [text]);
  return (
    <div
      dir="auto"
      className="grid min-w-0 gap-2 overflow-x-clip whitespace-pre-wrap [overflow-wrap:anywhere]"
    >
      {shown}
    </div>
  );
}

const parse = (text: string): Node =>
  fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });

type Parent = Extract<Node, { children: unknown }>;

function show(node: Node, key: string, depth = 0): ReactNode {
  if (depth > maxDepth) return null;
  if (!('children' in node)) return showLeaf(node, key);
  return (
    <Fragment key={key}>
      {showParent(
        node,
        node.children.map((child, at) => show(child, `${at}`, depth + 1)),
      )}
    </Fragment>
  );
}

function showLeaf(node: Exclude<Node, Parent>, key: string): ReactNode {
  switch (node.type) {
    case 'inlineCode':
      return (
        <code key={key} className="rounded bg-hover px-1 text-sm">
          {node.value}
        </code>
      );
    case 'code':
      return (
        <pre key={key} className="overflow-x-auto rounded-md bg-hover p-2 text-sm whitespace-pre">
          {node.value}
        </pre>
      );
    case 'thematicBreak':
      return <hr key={key} className="border-line" />;
    case 'break':
      return <br key={key} />;
    case 'image':
      return `[picture: ${node.alt || node.url}]`;
    default:
      return 'value' in node ? node.value : null;
  }
}

function showParent(node: Parent, inner: ReactNode): ReactNode {
  switch (node.type) {
    case 'paragraph':
      return <p>{inner}</p>;
    case 'heading':
      // The page's own headings stay the only ones.
      return <p className="font-semibold">{inner}</p>;
    case 'strong':
      return <strong>{inner}</strong>;
    case 'emphasis':
      return <em>{inner}</em>;
    case 'delete':
      return <del>{inner}</del>;
    case 'blockquote':
      return <blockquote className="grid gap-2 border-l-2 border-line pl-3 text-soft">{inner}</blockquote>;
    case 'list': {
      const look = `grid gap-1 pl-6 ${node.ordered ? 'list-decimal' : 'list-disc'}`;
      return node.ordered ? (
        <ol start={node.start ?? 1} className={look}>
          {inner}
        </ol>
      ) : (
        <ul className={look}>{inner}</ul>
      );
    }
    case 'listItem':
      return <li>{inner}</li>;
    case 'link':
      return (
        <>
          {inner}
          {addressBehind(node)}
        </>
      );
    case 'table':
      return (
        <div className="overflow-x-auto">
          <table className="text-sm">
            <tbody>{inner}</tbody>
          </table>
        </div>
      );
    case 'tableRow':
      return <tr className="border-b border-line first:font-semibold last:border-0">{inner}</tr>;
    case 'tableCell':
      return <td className="px-2 py-1 first:pl-0">{inner}</td>;
    default:
      return inner;
  }
}

/** The address of a link whose words are something else. */
function addressBehind({ url, children }: Extract<Node, { type: 'link' }>): string {
  const [only, ...others] = children;
  const isAddress =
    others.length === 0 && only?.type === 'text' && (url === only.value || url.endsWith(`//${only.value}`));
  return isAddress ? '' : ` (${url})`;
}
