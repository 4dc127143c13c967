// The query options of requests (ListOptions, CreateOptions, ...), checked as kube-apiserver checks
// them: what cannot be read is 400, what is read but makes no sense together is 422.

import {
  forbiddenField,
  invalidField,
  requiredField,
  tooLongField,
  unsupportedField,
} from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { limits } from "../../kernel/limits.ts";
import { badRequest, invalidOptions } from "../../intents/refusals.ts";
import type { FieldValidation, WriteOptions } from "../../intents/request.ts";
import { isTrue } from "./request-info.ts";

export type RevisionMatch = "" | "Exact" | "NotOlderThan";

export interface ListOptions {
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: RevisionMatch;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  /** Undefined when the server may choose. */
  readonly timeoutSeconds: number | undefined;
}

export function listOptions(query: URLSearchParams, isWatch: boolean): ListOptions {
  const initial = query.get("sendInitialEvents");
  const options: ListOptions = {
    limit: integerOf(query, "limit") ?? 0,
    continueToken: query.get("continue") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: (query.get("resourceVersionMatch") ?? "") as RevisionMatch,
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
    allowWatchBookmarks: booleanOf(query, "allowWatchBookmarks"),
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
    timeoutSeconds: integerOf(query, "timeoutSeconds"),
  };
  const errors = isWatch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  return options;
}

const matches = ["Exact", "NotOlderThan", ""];

function listErrors(options: ListOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { resourceVersion, resourceVersionMatch: match, continueToken } = options;
  if (match !== "") {
    if (resourceVersion === "") {
      const why = "resourceVersionMatch is forbidden unless resourceVersion is provided";
      errors.push(forbiddenField("resourceVersionMatch", why));
    }
    if (continueToken !== "") {
      const why = "resourceVersionMatch is forbidden when continue is provided";
      errors.push(forbiddenField("resourceVersionMatch", why));
    }
    if (!matches.includes(match)) {
      errors.push(unsupportedField("resourceVersionMatch", match, matches));
    }
    if (match === "Exact" && resourceVersion === "0") {
      const why = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"';
      errors.push(forbiddenField("resourceVersionMatch", why));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

function watchErrors(options: ListOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { resourceVersionMatch: match, sendInitialEvents, continueToken } = options;
  const forbid = (why: string): unknown => errors.push(forbiddenField("resourceVersionMatch", why));
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    forbid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (match !== "" && sendInitialEvents === undefined) {
    forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  if (match !== "" && match !== "NotOlderThan") {
    errors.push(unsupportedField("resourceVersionMatch", match, ["NotOlderThan"]));
  }
  if (continueToken !== "") forbid("resourceVersionMatch is forbidden when continue is provided");
  return errors;
}

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

export interface WriteOptionsInput {
  readonly kind: OptionsKind;
  readonly userAgent: string | undefined;
  /** Server-side apply, which alone may be forced and must name its manager. */
  readonly isApply: boolean;
}

export interface ParsedWriteOptions extends WriteOptions {
  readonly force: boolean;
}

const modes = ["", "Ignore", "Strict", "Warn"];

export function writeOptions(
  query: URLSearchParams,
  { kind, userAgent, isApply }: WriteOptionsInput,
): ParsedWriteOptions {
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  const manager = query.get("fieldManager") ?? "";
  const mode = query.get("fieldValidation") ?? "";
  const forceText = query.get("force");
  const errors = [
    ...dryRunErrors(dryRun),
    ...managerErrors(manager),
    ...(modes.includes(mode) ? [] : [unsupportedField("fieldValidation", mode, modes)]),
  ];
  if (kind === "PatchOptions") {
    if (isApply && manager === "") {
      errors.push(requiredField("fieldManager", "is required for apply patch"));
    }
    if (!isApply && forceText !== null) {
      errors.push(forbiddenField("force", "may not be specified for non-apply patch"));
    }
  }
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    isDryRun: dryRun.length > 0,
    fieldManager: manager === "" ? managerOf(userAgent) : manager,
    fieldValidation: (mode === "" ? "Warn" : mode) as FieldValidation,
    force: forceText !== null && isTrue(forceText),
    sent: {
      ...(dryRun.length === 0 ? {} : { dryRun }),
      ...(manager === "" ? {} : { fieldManager: manager }),
      ...(mode === "" ? {} : { fieldValidation: mode }),
    },
  };
}

export function dryRunErrors(dryRun: readonly string[]): readonly FieldError[] {
  if (dryRun.every((value) => value === "All")) return [];
  return [unsupportedField("dryRun", [...dryRun], ["All"])];
}

function managerErrors(manager: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > limits.maxFieldManagerLength) {
    errors.push(tooLongField("fieldManager", limits.maxFieldManagerLength));
  }
  const at = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(manager);
  if (at !== null) {
    const code = (at[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const position = Buffer.byteLength(manager.slice(0, at.index));
    const why = `invalid character U+${code} (at position ${position})`;
    errors.push(invalidField("fieldManager", manager, why));
  }
  return errors;
}

/** The part of the user agent before the first slash, as far as it can be shown. */
function managerOf(userAgent: string | undefined): string {
  const [name = ""] = (userAgent ?? "").split("/");
  const shown = name.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "");
  return shown.slice(0, limits.maxFieldManagerLength) || "unknown";
}

function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const isNumber = /^[+-]?\d+$/.test(text);
  if (isNumber && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return Number(text);
  const why = isNumber ? "value out of range" : "invalid syntax";
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
}

function booleanOf(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && isTrue(text);
}
