/** Where spans are sent, which share of traces, and whether external systems receive the trace. */
import { SetpointError } from "../kernel/errors.ts";

export interface TracingOptions {
  /** As in OTEL_EXPORTER_OTLP_ENDPOINT: the base URL of a collector. */
  readonly traceEndpoint?: string;
  /** As in OTEL_EXPORTER_OTLP_HEADERS: "name=value,name=value", which may be secret. */
  readonly traceHeaders?: string;
  /** As in OTEL_TRACES_SAMPLER_ARG. */
  readonly traceRatio?: string;
}

export interface TracingFileConfig {
  readonly endpoint?: string;
  readonly ratio?: number;
  readonly propagate?: boolean;
}

export interface TracingConfig {
  /** The full URL that spans are posted to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The share of traces that is recorded, from 0 to 1. */
  readonly ratio: number;
  /** Whether calls of external systems carry `traceparent`. */
  readonly propagates: boolean;
}

const tracesPath = "v1/traces";

/** Undefined without an endpoint: nothing is traced then. */
export function tracingConfig(
  options: TracingOptions,
  file: TracingFileConfig = {},
): TracingConfig | undefined {
  const endpoint = given(options.traceEndpoint) ?? file.endpoint;
  if (endpoint === undefined) return undefined;
  return {
    url: tracesUrl(endpoint),
    headers: headersIn(options.traceHeaders ?? ""),
    ratio: ratioOf(given(options.traceRatio) ?? file.ratio ?? 1),
    propagates: file.propagate ?? true,
  };
}

function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

function tracesUrl(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw wrong("tracing.endpoint", "is not an http or https URL", "http://localhost:4318");
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return new URL(tracesPath, url).href;
}

/** The values are not repeated in a message: they may be secret. */
function headersIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      const name = pair.slice(0, Math.max(0, at)).trim().toLowerCase();
      const value = decoded(pair.slice(at + 1).trim());
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || value === undefined) {
        const what = "has a header that is not name=value";
        throw wrong("OTEL_EXPORTER_OTLP_HEADERS", what, "authorization=Bearer%20TOKEN");
      }
      return [name, value];
    }),
  );
}

function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function ratioOf(text: string | number): number {
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw wrong("tracing.ratio", "is not a number from 0 to 1", "0.1");
}

function wrong(option: string, what: string, example: string): SetpointError {
  return new SetpointError("config.invalid", `${option} ${what}`, {
    details: { option },
    suggestion: `write for example ${example}`,
  });
}
