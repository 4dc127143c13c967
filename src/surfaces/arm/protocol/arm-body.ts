// Bodies of requests: read within the limit once it is known who sends them, JSON and nothing else,
// and an object. What is not is told before anything is looked up.

import { isSetpointError } from "../../../kernel/errors.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { parseJson } from "../../../kernel/strict-json.ts";
import type { Exchange } from "../../http/exchange.ts";
import { armRefusal } from "./arm-error.ts";
import { sentence } from "../../../kernel/field-error-words.ts";

const maxBodyBytes = 1_048_576;

export async function readObject(exchange: Exchange): Promise<JsonObject> {
  const value = await readOptionalObject(exchange);
  if (value !== undefined) return value;
  throw invalidContent("The request content is missing.");
}

/** Undefined when there is no body, as for most actions. */
export async function readOptionalObject(exchange: Exchange): Promise<JsonObject | undefined> {
  checkMediaType(exchange.headers["content-type"]);
  checkCoding(exchange.headers["content-encoding"]);
  const bytes = await exchange.readBody(maxBodyBytes, tooLarge);
  if (bytes.length === 0) return undefined;
  if (exchange.headers["content-type"] === undefined) throw unsupportedMedia("none");
  const { value, duplicates } = parsed(bytes);
  // Which of the two was meant cannot be known.
  const [twice] = duplicates;
  if (twice !== undefined) throw invalidContent(`The field '${twice}' is sent more than once.`);
  if (isJsonObject(value)) return value;
  throw invalidContent("The request content must be a JSON object.");
}

function parsed(bytes: Buffer): ReturnType<typeof parseJson> {
  try {
    return parseJson(bytes, { strict: true });
  } catch (error) {
    if (!isSetpointError(error)) throw error;
    throw invalidContent(`The request content is not valid JSON: ${jsonWords(error.message)}`);
  }
}

/** The words of Go are for clients of Kubernetes, who know them. */
function jsonWords(problem: string): string {
  const [, tooLong] = /^json: cannot unmarshal number (\S+) into Go/.exec(problem) ?? [];
  if (tooLong !== undefined) return `the number ${tooLong.slice(0, 100)} is too large`;
  if (problem === "exceeded max depth") return "it is nested too deeply";
  return problem.replace(/^json: /, "").replaceAll('"', "'");
}

export function invalidContent(message: string, target?: string): Error {
  const place = target === undefined ? {} : { target };
  const code = "InvalidRequestContent";
  return armRefusal(400, { code, message: sentence(message), ...place });
}

const jsonTypes = new Set(["application/json", "text/json", "application/merge-patch+json"]);

function checkMediaType(given: string | undefined): void {
  if (given === undefined) return;
  const [type = "", ...parameters] = given.split(";");
  if (!jsonTypes.has(type.trim().toLowerCase())) throw unsupportedMedia(type.trim());
  for (const parameter of parameters) {
    const charset = /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i.exec(parameter)?.[1];
    if (charset !== undefined && !charsets.has(charset.toLowerCase())) {
      throw unsupportedMedia(`${type.trim()}; charset=${charset}`);
    }
  }
}

/** JSON is UTF-8, and what is ASCII is that as well. */
const charsets = new Set(["utf-8", "utf8", "us-ascii", "ascii"]);

function checkCoding(given: string | undefined): void {
  if (given === undefined || /^(?:identity)?$/i.test(given.trim())) return;
  const message = `The content encoding '${given}' is not supported: send it without encoding.`;
  throw armRefusal(415, { code: "UnsupportedMediaType", message: sentence(message) });
}

function unsupportedMedia(type: string): Error {
  const message = `The content media type '${type}' is not supported: send application/json.`;
  return armRefusal(415, { code: "UnsupportedMediaType", message });
}

function tooLarge(): Error {
  const message = `The request content is larger than ${maxBodyBytes} bytes.`;
  return armRefusal(413, { code: "RequestContentTooLarge", message });
}
