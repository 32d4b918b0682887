import { type Listening, listenOnLoopback, readBody } from '@botyard/testing/fake/fake-server';

interface OtlpValue {
  stringValue?: string;
  intValue?: number;
}

export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: OtlpValue }[];
}

/** Takes traces as an OpenTelemetry collector does, and keeps every byte of them. */
export class FakeCollector {
  readonly spans: CollectedSpan[] = [];
  readonly bodies: string[] = [];
  readonly #listening: Listening;

  private constructor(listening: Listening) {
    this.#listening = listening;
  }

  static async start(): Promise<FakeCollector> {
    let collector: FakeCollector | undefined;
    const listening = await listenOnLoopback(async (req, res) => {
      const body = (await readBody(req)).toString();
      if (req.url === '/v1/traces') collector?.take(body);
      res.setHeader('content-type', 'application/json').end('{}');
    });
    collector = new FakeCollector(listening);
    return collector;
  }

  get url(): string {
    return this.#listening.origin;
  }

  take(body: string): void {
    this.bodies.push(body);
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: {
        resource: { attributes: CollectedSpan['attributes'] };
        scopeSpans: { spans: Omit<CollectedSpan, 'service'>[] }[];
      }[];
    };
    for (const { resource, scopeSpans } of resourceSpans) {
      const named = resource.attributes.find(({ key }) => key === 'service.name');
      const service = named?.value.stringValue ?? '';
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => ({ service, ...span })));
    }
  }

  close(): Promise<void> {
    return this.#listening.close();
  }
}
