/**
 * Reads the files of a document from this machine and from servers. Which addresses may be read is
 * decided before; here it is made true: names that lead into the inner network are refused where a
 * name was allowed, redirects stay within the origin, and answers are bounded in size and time.
 */
import { lookup } from "node:dns";
import { readFile, stat } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { fileURLToPath } from "node:url";
import { limits } from "../../kernel/limits.ts";
import type { ReadFile } from "../../modules/connect/document/load.ts";
import { isInnerHost } from "../../modules/connect/document/location.ts";

const maxRedirects = 3;

export function documentReader(root: string): ReadFile {
  const origin = new URL(root).origin;
  return async (file) => {
    const url = new URL(file);
    if (url.protocol === "file:") return await readLocal(url);
    // Where the document itself is, or an address that a person wrote down, may be inside.
    const mayBeInner =
      (url.protocol !== "file:" && url.origin === origin) || isInnerHost(url.hostname);
    return await readRemote(url, mayBeInner, maxRedirects);
  };
}

async function readLocal(url: URL): Promise<string> {
  const path = fileURLToPath(url);
  const { size } = await stat(path);
  if (size > limits.maxConnectFileBytes) throw new Error("it is too large");
  return await readFile(path, "utf8");
}

async function readRemote(url: URL, mayBeInner: boolean, redirects: number): Promise<string> {
  const { status, location, text } = await ask(url, mayBeInner);
  if (status >= 300 && status < 400 && location !== undefined) {
    const next = new URL(location, url);
    if (next.origin !== url.origin) throw new Error(`it leads to another origin, ${next.origin}`);
    if (redirects === 0) throw new Error("it leads on and on");
    return await readRemote(next, mayBeInner, redirects - 1);
  }
  if (status !== 200) throw new Error(`the server answered ${status}`);
  return text;
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

function ask(url: URL, mayBeInner: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { accept: "application/json, application/yaml;q=0.9, */*;q=0.8" };
    const options = {
      headers,
      timeout: limits.connectReadTimeoutMs,
      signal: AbortSignal.timeout(2 * limits.connectReadTimeoutMs),
      ...(mayBeInner ? {} : { lookup: outerLookup }),
    };
    const received = (response: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > limits.maxConnectFileBytes) asked.destroy(new Error("it is too large"));
        else chunks.push(chunk);
      });
      response.once("error", reject);
      response.once("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const { location } = response.headers;
        resolve({ status: response.statusCode ?? 500, location, text });
      });
    };
    const asked =
      url.protocol === "https:"
        ? httpsRequest(url, options, received)
        : httpRequest(url, options, received);
    asked.once("error", reject);
    asked.once("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.end();
  });
}

/**
 * The address that is asked is the one that was judged, so a name cannot change its mind in
 * between.
 */
const outerLookup: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    const inner = addresses?.find(({ address }) => isInnerHost(address));
    const refusal =
      inner === undefined ? error : new Error(`${host} is an address of the inner network`);
    if (refusal !== null) callback(refusal, "", 4);
    else if (options.all === true) callback(null, addresses);
    else callback(null, addresses[0]?.address ?? "", addresses[0]?.family ?? 4);
  });
};
