/**
 * Headers that proxies, tunnels, content networks and development servers add to the requests that they pass on, with
 * documentation of each. A name that ends with `*` is a prefix. Programs on this machine, such as `curl` and browsers,
 * send none of them. Headers of tracing aren't listed, because local programs send them, too.
 */
interface ProxyHeaders {
  by: string;
  source: string;
  headers: readonly string[];
}

export const proxyHeaders: readonly ProxyHeaders[] = [
  { by: 'RFC 7239', source: 'https://www.rfc-editor.org/rfc/rfc7239', headers: ['forwarded', 'forwarded-*'] },
  { by: 'RFC 9110', source: 'https://www.rfc-editor.org/rfc/rfc9110', headers: ['via', 'max-forwards'] },
  {
    by: 'most proxies (nginx, Traefik, Caddy, HAProxy, Vite, webpack, ngrok, localtunnel)',
    source: 'https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/X-Forwarded-For',
    headers: ['x-forwarded', 'x-forwarded-*', 'x-forward-*', 'x-proxy-*', 'x-proxied-*', 'proxy-*'],
  },
  {
    by: 'nginx and ingress-nginx',
    source: 'https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/configmap/',
    headers: [
      'x-real-ip',
      'x-real-*',
      'x-scheme',
      'x-original-*',
      'x-original',
      'x-auth-request-*',
      'x-ssl-*',
    ],
  },
  {
    by: 'Traefik',
    source: 'https://doc.traefik.io/traefik/middlewares/http/passtlsclientcert/',
    headers: ['x-replaced-path', 'x-traefik-*'],
  },
  {
    by: 'Caddy',
    source: 'https://caddyserver.com/docs/caddyfile/directives/reverse_proxy',
    headers: ['early-data', 'x-caddy-*'],
  },
  {
    by: 'HAProxy',
    source: 'https://docs.haproxy.org/3.2/configuration.html#option%20originalto',
    headers: ['x-client-ip', 'x-haproxy-*', 'x-unique-id'],
  },
  {
    by: 'Envoy, Istio',
    source: 'https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers',
    headers: ['x-envoy-*', 'x-istio-*'],
  },
  {
    by: 'Apache httpd, Rackspace, Riverbed, WebLogic',
    source: 'https://httpd.apache.org/docs/2.4/mod/mod_remoteip.html',
    headers: [
      'client-ip',
      'x-cluster-client-ip',
      'x-remote-*',
      'remote-addr',
      'wl-proxy-client-ip',
      'wl-proxy-*',
    ],
  },
  {
    by: 'ngrok',
    source: 'https://ngrok.com/docs/http/',
    headers: ['ngrok-*', 'x-ngrok-*'],
  },
  {
    by: 'Cloudflare, cloudflared',
    source: 'https://developers.cloudflare.com/fundamentals/reference/http-headers/',
    headers: ['cf-*', 'cdn-loop', 'true-client-ip', 'x-warp-*'],
  },
  {
    by: 'localtunnel',
    source: 'https://github.com/localtunnel/localtunnel',
    headers: ['bypass-tunnel-reminder', 'x-localtunnel-*', 'x-lt-*'],
  },
  {
    by: 'VS Code and GitHub port forwarding, dev tunnels',
    source: 'https://learn.microsoft.com/azure/developer/dev-tunnels/security',
    headers: ['x-tunnel-*', 'x-ms-tunnel-*', 'tunnel-*', 'x-github-*', 'x-codespaces-*', 'x-vscode-*'],
  },
  {
    by: 'Tailscale Serve and Funnel',
    source: 'https://tailscale.com/kb/1312/serve',
    headers: ['tailscale-*', 'x-tailscale-*', 'x-webauth-*'],
  },
  {
    by: 'Fly',
    source: 'https://fly.io/docs/networking/request-headers/',
    headers: ['fly-*'],
  },
  {
    by: 'Heroku',
    source: 'https://devcenter.heroku.com/articles/http-routing',
    headers: ['x-request-start', 'connect-time', 'total-route-time', 'via-*', 'x-heroku-*', 'x-queue-start'],
  },
  {
    by: 'Vercel',
    source: 'https://vercel.com/docs/headers/request-headers',
    headers: ['x-vercel-*', 'x-now-*'],
  },
  {
    by: 'Netlify',
    source: 'https://docs.netlify.com/manage/routing/redirects/rewrites-proxies/',
    headers: ['x-nf-*', 'x-netlify-*', 'client-*', 'x-country', 'x-language'],
  },
  {
    by: 'AWS load balancers, API Gateway, CloudFront',
    source:
      'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/adding-cloudfront-headers.html',
    headers: ['x-amzn-*', 'x-amz-*', 'cloudfront-*', 'x-edge-*'],
  },
  {
    by: 'Google Cloud load balancing, App Engine, Identity-Aware Proxy, Firebase',
    source: 'https://cloud.google.com/appengine/docs/standard/reference/request-headers',
    headers: [
      'x-cloud-trace-context',
      'x-appengine-*',
      'appengine-*',
      'x-goog-*',
      'x-google-*',
      'x-client-geo-*',
      'x-client-region*',
      'x-client-rtt*',
      'x-client-city*',
      'x-client-data*',
      'x-gfe-*',
      'x-fh-*',
      'x-serverless-*',
    ],
  },
  {
    by: 'Azure Front Door, App Service, Application Gateway',
    source: 'https://learn.microsoft.com/azure/frontdoor/front-door-http-headers-protocol',
    headers: [
      'x-azure-*',
      'x-fd-*',
      'x-arr-*',
      'x-appgw-*',
      'x-site-deployment-id',
      'x-waws-*',
      'disguised-host',
    ],
  },
  {
    by: 'Azure authentication (Easy Auth)',
    source: 'https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities',
    headers: ['x-ms-client-principal*', 'x-ms-token-*', 'was-default-hostname'],
  },
  {
    by: 'Akamai',
    source: 'https://techdocs.akamai.com/property-mgr/docs/origin-server',
    headers: ['x-akamai-*', 'akamai-*', 'x-edgescape*'],
  },
  {
    by: 'Fastly',
    source: 'https://www.fastly.com/documentation/reference/http/http-headers/Fastly-Client-IP/',
    headers: ['fastly-*', 'x-varnish*', 'x-timer', 'x-sigsci-*'],
  },
  {
    by: 'Sucuri, Imperva, DigitalOcean, Render, Railway, KeyCDN',
    source: 'https://docs.digitalocean.com/products/app-platform/reference/',
    headers: ['x-sucuri-*', 'incap-*', 'do-connecting-ip', 'render-*', 'rndr-id', 'x-railway-*', 'x-pull'],
  },
  {
    by: 'Pomerium, oauth2-proxy, Authelia, authentik, Teleport',
    source: 'https://oauth2-proxy.github.io/oauth2-proxy/configuration/overview/',
    headers: [
      'x-pomerium-*',
      'x-authentik-*',
      'remote-user',
      'remote-email',
      'remote-*',
      'teleport-*',
      'gap-*',
    ],
  },
  {
    by: 'Squid and other forward proxies',
    source: 'https://www.squid-cache.org/Doc/config/forwarded_for/',
    headers: [
      'x-cache*',
      'x-bluecoat-via',
      'x-originating-ip',
      'x-host',
      'x-http-host-override',
      'x-rewrite-url',
    ],
  },
];

const names = new Set<string>();
const prefixes: string[] = [];
for (const { headers } of proxyHeaders)
  for (const header of headers)
    if (header.endsWith('*')) prefixes.push(header.slice(0, -1));
    else names.add(header);

/** Whether a proxy, a tunnel or a development server adds a header of this name, given in lower case. */
export const isProxyHeader = (name: string): boolean =>
  names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
