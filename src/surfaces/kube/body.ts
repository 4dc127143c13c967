// Request bodies: read whole within the size limit, then decoded from JSON, YAML or protobuf. The
// decoder finds keys that are given twice, because nobody after it can. A long YAML text is parsed
// by a thread, which returns it as JSON: parsing that takes a small part of the time.

import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { isHiding, shownFieldPath } from "../../kernel/hidden-values.ts";
import type { Hiding } from "../../kernel/hidden-values.ts";
import type { HeavyFunctions, HeavyJob, HeavyResult } from "../../kernel/heavy-work.ts";
import { parseExact } from "../../kernel/int64.ts";
import type { Json } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { pausesFor } from "../../kernel/pauses.ts";
import { parseIfJson, parseJson } from "../../kernel/strict-json.ts";
import { decodeUtf8 } from "../../kernel/whole-text.ts";
import { parseYaml } from "../../kernel/yaml.ts";
import { badRequest, tooLarge } from "../../intents/refusals.ts";
import type { Caller } from "../../intents/request.ts";
import { unrecognisedText } from "../../intents/write/envelope.ts";
import { decodeProtobuf } from "./protobuf/envelope.ts";
import type { Exchange } from "../http/exchange.ts";

export interface Decoded {
  readonly value: Json;
  /** `duplicate field "spec.x"`, when looking for them was asked for. */
  readonly problems: readonly string[];
}

export type BodyType = "json" | "yaml" | "protobuf";

const bodyTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** A missing or empty type counts as JSON: kubectl sends none when it scales. */
export function bodyType(contentType: string | undefined, hasProtobuf: boolean): BodyType {
  const given = contentType === undefined || contentType === "" ? "application/json" : contentType;
  const [type = ""] = given.split(";");
  switch (type.trim().toLowerCase()) {
    case "*/*":
    case "application/json":
      return "json";
    case "application/yaml":
      return "yaml";
    case "application/vnd.kubernetes.protobuf":
      if (hasProtobuf) return "protobuf";
      break;
    default:
      break;
  }
  throw unsupportedMedia(bodyTypes);
}

export function unsupportedMedia(accepted: readonly string[]): SetpointError {
  return new SetpointError(
    "request.unsupported_media_type",
    "the body of the request was in an unknown format - " +
      `accepted media types include: ${accepted.join(", ")}`,
  );
}

/** What a body is read for: a part of ResourceRequest. */
export interface BodyRequest {
  readonly exchange: Exchange;
  readonly caller: Pick<Caller, "tenant">;
}

export async function readBody(
  { exchange, caller: { tenant } }: BodyRequest,
  maxBytes = limits.maxKubeBodyBytes,
): Promise<Buffer> {
  const bytes = await exchange.readBody(maxBytes, () => tooLarge(maxBytes));
  // Decoding is the first step of the work on a large document.
  await pausesFor(bytes.length, tenant ?? "")();
  return bytes;
}

/** Runs a job for the tenant of the request. */
export type RequestWork = (job: Omit<HeavyJob, "tenant">) => Promise<HeavyResult>;

export interface Decoding {
  readonly expected: string;
  readonly findsDuplicates: boolean;
  /** The body may have hidden values. If it cannot be read, no part of it is shown. */
  readonly isHidden?: boolean;
  /** The kind that has the hidden values. */
  readonly hiding?: Hiding;
}

/** Keys inside of a hidden field are not named. */
export function duplicateFields(paths: readonly string[], kind: Hiding = {}): readonly string[] {
  if (!isHiding(kind)) return paths.map((path) => `duplicate field "${path}"`);
  const shown = paths.map((path) => shownFieldPath(kind, path.replace(operationValue, "$1")));
  return [...new Set(shown)].map((path) => `duplicate field "${path}"`);
}

/** The value of an operation of a JSON Patch can be a part of a hidden field. */
const operationValue = /^(\[\d+\]\.value)\..*$/s;

/** Of the problem of a reader, which may quote what it cannot read: the place at most. */
export function unreadable(problem: string): string {
  const [place = ""] = /\b(?:line \d+|input byte \d+|offset \d+)\b/.exec(problem) ?? [];
  return `the body cannot be read${place === "" ? "" : ` at ${place}`}`;
}

export async function decodeBody(
  work: RequestWork,
  bytes: Buffer,
  type: BodyType,
  { expected, findsDuplicates, isHidden = false, hiding }: Decoding,
): Promise<Decoded> {
  try {
    if (type === "protobuf") return { value: decodeProtobuf(bytes), problems: [] };
    if (type === "yaml") return withoutHiddenKeys(await decodeYaml(work, bytes), hiding);
    const { value, duplicates } = parseJson(bytes, { strict: findsDuplicates });
    return { value, problems: duplicateFields(duplicates, hiding) };
  } catch (error) {
    if (!isSetpointError(error, "request.invalid")) throw error;
    const prefix = type === "json" ? "couldn't get version/kind; json parse error: " : "";
    if (isHidden) {
      throw badRequest(unrecognisedText(expected, unreadable(error.message), undefined));
    }
    throw badRequest(unrecognisedText(expected, `${prefix}${error.message}`, bytes), error);
  }
}

/** Throws request.invalid, and request.too_large for a text that describes a larger document. */
export async function decodeYaml(work: RequestWork, bytes: Buffer): Promise<Decoded> {
  const json = asJson(bytes);
  if (json !== undefined) return json;
  if (bytes.length < limits.minHeavyYamlBytes) {
    const { value, duplicates } = parseYaml(decodeUtf8(bytes));
    return { value, problems: duplicates };
  }
  const parsed = await work({ name: "parse-yaml", bytes });
  const { duplicates } = parsed.facts as { readonly duplicates: readonly string[] };
  return { value: parseExact(parsed.bytes.toString("utf8")) as Json, problems: duplicates };
}

/** YAML names a repeated key without its place, so that it may be inside of a hidden field. */
export function withoutHiddenKeys(decoded: Decoded, kind: Hiding = {}): Decoded {
  if (decoded.problems.length === 0 || (kind.fieldRules ?? []).length === 0) return decoded;
  if (!isHiding(kind)) return decoded;
  const lines = decoded.problems.map((problem) => /^line \d+/.exec(problem)?.[0] ?? "a line");
  return { ...decoded, problems: lines.map((line) => `${line}: key already set in map`) };
}

/** JSON is YAML, and is parsed as JSON; YAML alone names the lines of keys that are given twice. */
function asJson(bytes: Buffer): Decoded | undefined {
  const first = bytes.find((byte) => byte > space);
  if (first !== openObject && first !== openList) return undefined;
  const parsed = parseIfJson(bytes, { strict: true });
  if (parsed === undefined || parsed.duplicates.length > 0) return undefined;
  return { value: parsed.value, problems: [] };
}

const [space, openObject, openList] = [0x20, 0x7b, 0x5b];

export const bodyFunctions: HeavyFunctions = {
  "parse-yaml": (bytes) => {
    const { value, duplicates } = parseYaml(decodeUtf8(bytes));
    const json = Buffer.from(JSON.stringify(value));
    // Aliases repeat what they name.
    if (json.length > limits.maxKubeBodyBytes) throw tooLarge(limits.maxKubeBodyBytes);
    return { bytes: json, facts: { duplicates } };
  },
};
