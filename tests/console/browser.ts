// A browser for tests of sessions: keeps cookies by their path, and sends the headers that browsers
// send with requests of a page.
import { request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { parseExact } from "../../src/kernel/int64.ts";

export interface BrowserReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

export interface BrowserRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

export class Browser {
  readonly origin: string;
  readonly cookies = new Map<string, Cookie>();
  readonly #ca: string | undefined;

  constructor(origin: string, ca?: string) {
    this.origin = origin;
    this.#ca = ca;
  }

  /** As a script of the page does. */
  async request(
    method: string,
    path: string,
    { body, headers = {} }: BrowserRequest = {},
  ): Promise<BrowserReply> {
    const response = await this.open(method, path, { body, headers });
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString("utf8");
    return { status: response.statusCode ?? 0, headers: response.headers, text, json: json(text) };
  }

  /** As a user does who opens a URL. */
  async visit(path: string): Promise<BrowserReply> {
    const headers = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" };
    return await this.request("GET", path, { headers });
  }

  /** An answer that has not ended. */
  async open(
    method: string,
    path: string,
    { body, headers = {} }: BrowserRequest = {},
  ): Promise<IncomingMessage> {
    const bytes = body === undefined ? undefined : JSON.stringify(body);
    const isUnsafe = method !== "GET" && method !== "HEAD";
    const all = {
      accept: "application/json",
      "sec-fetch-site": "same-origin",
      "sec-fetch-mode": "cors",
      ...(isUnsafe ? { origin: this.origin } : {}),
      ...(bytes === undefined ? {} : { "content-type": "application/json" }),
      ...this.#cookieHeader(path),
      ...headers,
    };
    const given = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const { protocol, hostname, port } = new URL(this.origin);
    const send = protocol === "https:" ? httpsRequest : httpRequest;
    // A name that was made to point here has no certificate of this server.
    const trust = this.#ca === undefined ? {} : { ca: this.#ca, checkServerIdentity: noName };
    const host = hostname.replaceAll(/[[\]]/g, "");
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { ...trust, agent: false, hostname: host, port, method, path };
      const call = send({ ...options, headers: given } as never, resolve);
      call.once("error", reject);
      call.end(bytes);
    });
    for (const line of response.headers["set-cookie"] ?? []) this.#keep(line);
    return response;
  }

  #cookieHeader(path: string): { readonly cookie?: string } {
    const sent = [...this.cookies].filter(([, cookie]) => path.startsWith(cookie.path));
    if (sent.length === 0) return {};
    return { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join("; ") };
  }

  #keep(line: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /; Path=([^;]+)/.exec(line)?.[1] ?? "/";
    if (/; Max-Age=0(?:;|$)/.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, { value, path });
  }
}

function noName(): undefined {
  return undefined;
}

function json(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
