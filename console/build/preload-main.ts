import type { HtmlTagDescriptor, Plugin } from 'vite';

interface Chunk {
  type: string;
  fileName: string;
  facadeModuleId?: string | null;
  imports?: string[];
}

/** Names the console's files in the page, so that they are loaded together with its first script. */
export const preloadMain = (): Plugin => ({
  name: 'preload-main',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle }) => {
      const chunks: Record<string, Chunk> = { ...bundle };
      const main = Object.values(chunks).find(({ facadeModuleId }) =>
        facadeModuleId?.endsWith('src/main.tsx'),
      );
      if (!main) return [];
      return [main.fileName, ...(main.imports ?? [])]
        .map((name) => `/console/${name}`)
        .filter((href) => !html.includes(href))
        .map(linkTo);
    },
  },
});

const linkTo = (href: string): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { rel: 'modulepreload', crossorigin: true, href },
  injectTo: 'head',
});
