// Answers in the form a client asked for. Bodies are compressed when they are large and the client
// takes gzip, and indented for people who use a browser or curl, as kube-apiserver does.

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { parseExact } from "../../kernel/int64.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { formatYaml } from "../../kernel/yaml.ts";
import type { Exchange, Headers } from "../http/exchange.ts";
import { kubeError } from "./status.ts";
import { contentType, errorForm } from "./negotiate.ts";
import type { Form } from "./negotiate.ts";
import { encodeProtobuf } from "./protobuf/envelope.ts";

const compress = promisify(gzip);
export const gzipLevel = 1;
export const gzipHeaders = { "content-encoding": "gzip", vary: "Accept-Encoding" };

export interface Answer {
  readonly status: number;
  readonly form: Form;
  readonly headers?: Headers;
}

/** Bytes in the encoding of the answer. */
export async function sendReady(exchange: Exchange, answer: Answer, bytes: Buffer): Promise<void> {
  await sendEncoded(exchange, answer, bytes);
}

/** JSON bytes that are already in the right shape: the usual answer. */
export async function sendBytes(exchange: Exchange, answer: Answer, bytes: Buffer): Promise<void> {
  const { form } = answer;
  if (form.encoding !== "json" || isForPeople(exchange, form)) {
    await sendJson(exchange, answer, parseExact(bytes.toString("utf8")) as Json);
    return;
  }
  await sendEncoded(exchange, answer, bytes.at(-1) === newline ? bytes : withNewline(bytes));
}

const newline = 0x0a;
const lineEnd = Buffer.from("\n");

function withNewline(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, lineEnd]);
}

export async function sendJson(exchange: Exchange, answer: Answer, value: Json): Promise<void> {
  const { form } = answer;
  switch (form.encoding) {
    case "yaml":
      return await sendEncoded(exchange, answer, Buffer.from(formatYaml(value)));
    case "protobuf":
      return await sendEncoded(exchange, answer, Buffer.from(encodeProtobuf(value as JsonObject)));
    case "json": {
      const text = isForPeople(exchange, form)
        ? JSON.stringify(value, undefined, 2)
        : `${JSON.stringify(value)}\n`;
      return await sendEncoded(exchange, answer, Buffer.from(text));
    }
    default:
      return form.encoding satisfies never;
  }
}

export function takesGzip(exchange: Exchange): boolean {
  const accepted = exchange.headers["accept-encoding"];
  return typeof accepted === "string" && /\bgzip\b/.test(accepted);
}

async function sendEncoded(
  exchange: Exchange,
  { status, form, headers = {} }: Answer,
  bytes: Buffer,
): Promise<void> {
  const base = { ...headers, "content-type": contentType(form), "cache-control": noCache };
  if (bytes.length < limits.minGzipBytes || !takesGzip(exchange)) {
    exchange.send(status, base, bytes);
    return;
  }
  const packed = await compress(bytes, { level: gzipLevel });
  exchange.send(status, { ...base, ...gzipHeaders }, packed);
}

const noCache = "no-cache, private";

export function isForPeople(exchange: Exchange, form: Pick<Form, "isPretty">): boolean {
  if (form.isPretty) return true;
  const agent = exchange.headers["user-agent"];
  if (exchange.url.includes("pretty=")) {
    const value = /[?&]pretty=([^&]*)/.exec(exchange.url)?.[1] ?? "";
    if (value !== "") return ["1", "t", "T", "true", "TRUE", "True"].includes(value);
  }
  return agent !== undefined && /^(?:curl|Wget|Mozilla\/5\.0)/.test(agent);
}

/** Errors are YAML for those who want that, and else JSON, which every client reads. */
export async function sendError(
  exchange: Exchange,
  error: unknown,
  headers: Headers = {},
): Promise<void> {
  const { code, status, retryAfterSeconds } = kubeError(error);
  const retry = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  // A refusal repeats what the client sent, and a browser must not take that for a page.
  const sniff = code === 403 ? { "x-content-type-options": "nosniff" } : {};
  await sendJson(
    exchange,
    {
      status: code,
      form: errorForm(exchange.headers.accept),
      headers: { ...headers, ...retry, ...sniff },
    },
    status,
  );
}
