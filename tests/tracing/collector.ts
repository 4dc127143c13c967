// A collector of OTLP/HTTP on the loopback interface, which keeps what it is sent; and an external
// system, which keeps the headers of its requests.
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly isFailed: boolean;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Of the requests for spans. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Of the requests to /service, which is the external system. */
  readonly serviceHeaders: readonly IncomingHttpHeaders[];
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const serviceHeaders: IncomingHttpHeaders[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const isSpans = request.method === "POST" && request.url === "/v1/traces";
    if (isSpans) {
      headers.push(request.headers);
      spans.push(...spansIn(body));
    } else serviceHeaders.push(request.headers);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers,
    serviceHeaders,
    [Symbol.asyncDispose]: () => closed(server),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString("utf8");
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface OtlpSpan extends Omit<CollectedSpan, "attributes" | "isFailed" | "parentSpanId"> {
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code: number };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

function spansIn(body: string): readonly CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as OtlpBody;
  const found = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  return found.map(({ traceId, spanId, parentSpanId, name, kind, attributes, status }) => ({
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    attributes: Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? ""]),
    ),
    isFailed: status?.code === 2,
  }));
}
