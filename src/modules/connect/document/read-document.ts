/**
 * Reads the files of a document from this machine and from servers. Which addresses may be read is
 * decided before; this file enforces it: names that lead into the inner network are refused where a
 * name was allowed, redirects stay within the origin, and answers are bounded in size and time.
 */
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { HttpClient, HttpFailure, OpenHttp } from "../../../adapters/http/port.ts";
import { connectLimits } from "../limits.ts";
import type { ReadFile } from "./load.ts";
import { isInnerHost } from "./location.ts";

const maxRedirects = 3;

/** The headers are sent to the origin of the document only. */
export function documentReader(
  root: string,
  open: OpenHttp,
  headers: Readonly<Record<string, string>> = {},
): ReadFile {
  const origin = new URL(root).origin;
  let anywhere: HttpClient | undefined;
  let outer: HttpClient | undefined;
  return async (file) => {
    const url = new URL(file);
    if (url.protocol === "file:") return await readLocal(url);
    // Where the document itself is, or an address that a person wrote down, may be inside.
    const mayBeInner = url.origin === origin || isInnerHost(url.hostname);
    const own = url.origin === origin ? headers : {};
    if (mayBeInner) return await readRemote(url, (anywhere ??= open()), own);
    return await readRemote(url, (outer ??= open({ refuseAddress: refuseInner })), {});
  };
}

function refuseInner(address: string, host: string): string | undefined {
  return isInnerHost(address) ? `${host} is in a private network` : undefined;
}

async function readLocal(url: URL): Promise<string> {
  const path = fileURLToPath(url);
  const { size } = await stat(path);
  if (size > connectLimits.maxFileBytes) throw new Error("it is too large");
  return await readFile(path, "utf8");
}

async function readRemote(
  url: URL,
  http: HttpClient,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const eachMs = connectLimits.readTimeoutMs;
  const result = await http.send({
    place: { kind: "origin", origin: url.origin },
    method: "GET",
    target: `${url.pathname}${url.search}`,
    headers: { accept: "application/json, application/yaml;q=0.9, */*;q=0.8", ...headers },
    timeouts: { totalMs: 2 * eachMs, connectMs: eachMs, headersMs: eachMs, bodyMs: eachMs },
    maxBytes: connectLimits.maxFileBytes,
    maxRedirects,
  });
  if (result.kind === "failure") throw problemOf(result);
  const { status, body } = result;
  if (status !== 200) throw new Error(`the server returned status ${status}`);
  return body.toString("utf8");
}

function problemOf({ reason, message, cause, redirectOrigin = "" }: HttpFailure): Error {
  switch (reason) {
    case "timeout":
      return new Error("no response in time");
    case "tooLarge":
      return new Error("it is too large");
    case "redirect":
      return new Error(
        redirectOrigin === ""
          ? "it redirects too often"
          : `it redirects to another origin, ${redirectOrigin}`,
      );
    default:
      return cause ?? new Error(message);
  }
}
