import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../../../../../tools/browser/open-browser.ts';

async function listen(answer: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>) {
  const server = createServer((req, res) => void answer(req, res));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

const close = (server: Server): void => {
  server.close();
  server.closeAllConnections();
};

/** Passes everything on as the gateway does. While `isCut` it breaks every connection. */
export async function openFront() {
  const state = { isCut: false, service: undefined as TestService | undefined, requests: [] as string[] };
  const open = new Set<ServerResponse>();
  const { server, port } = await listen(async (req, res) => {
    if (state.isCut || !state.service) return void res.destroy();
    open.add(res);
    res.once('close', () => open.delete(res));
    state.requests.push(`${req.method} ${req.url}`);
    const headers = { ...req.headers, 'x-botyard-identity': await state.service.identityOf(anonymous) };
    const passed = request(
      `${state.service.url}${req.url}`,
      { method: req.method ?? 'GET', headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(res);
      },
    );
    passed.once('error', () => res.destroy());
    res.once('close', () => passed.destroy());
    req.pipe(passed);
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    requests: state.requests,
    use: (service: TestService) => {
      state.service = service;
    },
    cut: (isCut: boolean) => {
      state.isCut = isCut;
      if (isCut) for (const res of open) res.destroy();
    },
    close: () => close(server),
  };
}

/** A tenant's site, on another origin, whose policy allows our script and our connections, and nothing else. */
export async function openTenantSite(front: string) {
  const site = { botId: '', more: '', untilBody: async () => {} };
  const policy = [
    "default-src 'none'",
    `script-src ${front}`,
    `connect-src ${front}`,
    `img-src ${front}`,
    "frame-src 'self' http:",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const script = () => `<script src="${front}/chat.js" data-bot="${site.botId}" ${site.more} async></script>`;
  const { server, port } = await listen(async ({ url = '' }, res) => {
    if (url.startsWith('/slow')) {
      res.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
      res.write(`<!doctype html><html lang="en"><head><title>Slow</title>${script()}`.padEnd(2000));
      await site.untilBody();
      res.end('</head><body><h1>Slow</h1></body></html>');
      return;
    }
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
      <meta name="viewport" content="width=device-width, initial-scale=1"></head>
      <body><h1>Shop</h1><p>Everything for your garden.</p>${
        url.startsWith('/frame')
          ? `<iframe src="http://shop.localhost:${port}/" width="500" height="700" title="Shop"></iframe>`
          : script()
      }</body></html>`;
    res.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(html);
  });
  return {
    origin: `http://shop.localhost:${port}`,
    /** Another name for it: what is framed here belongs to another site. */
    framing: `http://other.localhost:${port}/frame`,
    /** The address of a page whose body comes late. */
    slow: (untilBody: () => Promise<void>) => {
      site.untilBody = untilBody;
      return `http://shop.localhost:${port}/slow`;
    },
    show: (botId: string, more = '') => Object.assign(site, { botId, more }),
    close: () => close(server),
  };
}

/** A browser whose pages report what their policy has refused. */
export async function openWindows() {
  const browser: Browser = await openBrowser([]);
  const complaints: string[] = [];
  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    watch(page);
    return page;
  };
  const watch = (page: Page) => {
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/content security policy|trusted/i.test(message.text())) complaints.push(message.text());
    });
  };
  return { complaints, newPage, watch, close: () => browser.close() };
}
