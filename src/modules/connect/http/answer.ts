// What an answer says, whatever it looks like: JSON where it is, else its text; the message and
// the code of an error from the usual places of JSON bodies, from a text, from the title of a page,
// or from the status alone; when to come back; where to go on.

import { isNumber, parseExact } from "../../../kernel/int64.ts";
import { getOwn, isJsonArray, isJsonObject, jsonProblem } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { hasWiderObject } from "../../../kernel/json-width.ts";
import { limits } from "../../../kernel/limits.ts";
import { connectLimits } from "../limits.ts";
import { errorDetails } from "./error-details.ts";
import { ExchangeFailed } from "./exchange.ts";
import type { RawAnswer } from "./exchange.ts";
import type { Hide } from "../../../kernel/hider.ts";

export interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** Undefined when the body is empty or is no JSON. */
  readonly json: Json | undefined;
  /** Of a body that is no JSON. */
  readonly text: string;
}

const shownChars = 400;
const longestCode = 100;

/** Throws ExchangeFailed for a response that would take too long to parse. */
export function readAnswer({ status, headers, body }: RawAnswer): Answer {
  const text = body.toString("utf8");
  if (hasWiderObject(text, connectLimits.maxAnswerKeys)) throw tooManyKeys();
  const json = jsonIn(text, headers["content-type"] ?? "");
  return { status, headers, json, text: json === undefined ? text : "" };
}

function tooManyKeys(): ExchangeFailed {
  const most = connectLimits.maxAnswerKeys.toLocaleString("en");
  const message = `an object in the response has more than ${most} keys`;
  return new ExchangeFailed("AnswerTooLarge", message, false);
}

export function isSuccess({ status }: Pick<Answer, "status">): boolean {
  return status >= 200 && status < 300;
}

export interface ErrorFacts {
  readonly status: number;
  /** As the service names it; empty when it does not. */
  readonly code: string;
  readonly message: string;
}

/** Hidden is what must be before anything is cut, since a part of a secret is one, too. */
export function errorFacts(answer: Answer, hide: Hide = (text) => text): ErrorFacts {
  const { status, json } = answer;
  const code = hide(codeIn(json) ?? "").slice(0, longestCode);
  const said = messageIn(json) ?? textMessage(answer);
  const message = said === "" ? (statusTexts[status] ?? "no error message was returned") : said;
  const details = hide(errorDetails(json, said)).slice(0, shownChars);
  const more = details === "" ? "" : ` (${details})`;
  return { status, code, message: `${hide(message).slice(0, shownChars)}${more}` };
}

/** The target of `rel="next"` in a Link header. */
export function nextLink(headers: { readonly [name: string]: string }): string | undefined {
  for (const part of (headers["link"] ?? "").split(/,(?=\s*<)/)) {
    const [, target, rest = ""] = /^\s*<([^>]*)>(.*)$/.exec(part) ?? [];
    if (/;\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:\s[^"]*)?"?/i.test(rest)) return target;
  }
  return undefined;
}

/** Whole numbers of more than 64 bits become texts, so that ids survive. */
function jsonIn(text: string, type: string): Json | undefined {
  // Not by a regular expression, which fails for megabytes of spaces.
  const start = text.trimStart();
  const looksLikeIt = /json/i.test(type) || start.startsWith("{") || start.startsWith("[");
  if (!looksLikeIt || start === "") return undefined;
  try {
    const parsed: unknown = parseExact(text, (digits) => digits);
    return jsonProblem(parsed, limits.maxJsonDepth) === undefined ? (parsed as Json) : undefined;
  } catch {
    return undefined;
  }
}

const codeKeys = ["code", "errorCode", "error_code", "reason", "type"] as const;
const messageKeys = [
  "message",
  "error_description",
  "detail",
  "description",
  "error",
  "errors",
  "title",
  "reason",
  "msg",
] as const;

function codeIn(json: Json | undefined): string | undefined {
  if (json === undefined || !isJsonObject(json)) return undefined;
  const inner = getOwn(json, "error");
  for (const object of [inner, json]) {
    if (object === undefined || !isJsonObject(object)) continue;
    for (const key of codeKeys) {
      const value = getOwn(object, key);
      if (typeof value === "string" && value !== "") return value;
      if (isNumber(value)) return String(value);
    }
  }
  return typeof inner === "string" && /^[A-Za-z][\w.-]{0,60}$/.test(inner) ? inner : undefined;
}

function messageIn(json: Json | undefined, depth = 0): string | undefined {
  if (typeof json === "string") return json === "" ? undefined : json;
  if (json === undefined || depth > 3) return undefined;
  if (isJsonArray(json)) {
    const all = json.slice(0, 5).flatMap((item) => messageIn(item, depth + 1) ?? []);
    return all.length === 0 ? undefined : all.join("; ");
  }
  if (!isJsonObject(json)) return undefined;
  return messageOfKeys(json, depth) ?? Object.entries(json).flatMap(fieldText)[0];
}

function messageOfKeys(json: JsonObject, depth: number): string | undefined {
  for (const key of messageKeys) {
    const found = messageIn(getOwn(json, key), depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As some services say it: {"name": ["is taken"]}. */
function fieldText([key, value]: readonly [string, Json]): readonly string[] {
  const text = isJsonArray(value)
    ? value.filter((each) => typeof each === "string").join(", ")
    : "";
  return text === "" ? [] : [`${key}: ${text}`];
}

function textMessage({ text: whole, headers }: Answer): string {
  const text = whole.slice(0, 20_000);
  const isPage =
    /html/i.test(headers["content-type"] ?? "") || /^\s*<(?:!doctype|html)/i.test(text);
  if (!isPage) return text.trim().replaceAll(/\s+/g, " ");
  const [, title] = /<title[^>]*>([^<]{1,200})/i.exec(text) ?? [];
  const [, heading] = /<h1[^>]*>([^<]{1,200})/i.exec(text) ?? [];
  const shown = (title ?? heading ?? "").trim();
  return shown === "" ? "the response is an HTML page" : `the response is an HTML page: ${shown}`;
}

const statusTexts: Readonly<Record<number, string>> = {
  300: "multiple choices",
  301: "the object has moved; redirects are not followed",
  302: "the object has moved; redirects are not followed",
  303: "the object is at another URL; redirects are not followed",
  307: "the object has moved; redirects are not followed",
  308: "the object has moved; redirects are not followed",
  400: "bad request",
  401: "the credentials were not accepted",
  403: "not allowed",
  404: "not found",
  405: "the method is not allowed",
  408: "request timeout",
  409: "conflict",
  410: "gone",
  412: "the object was changed by another client",
  413: "too large",
  415: "the media type is not supported",
  422: "the content cannot be processed",
  423: "locked",
  429: "too many requests",
  500: "internal error",
  501: "not implemented",
  502: "bad gateway",
  503: "unavailable",
  504: "gateway timeout",
};
