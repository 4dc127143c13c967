// Where the next page of a list begins. Clients treat the token as opaque; its form is that of
// kube-apiserver, so that tools which look inside find what they expect: the key stands relative
// to what is listed, a namespace or everything. A revision of -1 means that the rest may be read
// from a newer state.

import { jsonName } from "../../kernel/go-text.ts";
import { parseExact } from "../../kernel/int64.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { jsonSyntaxProblem } from "../../kernel/json-syntax.ts";
import { badRequest } from "../../intents/refusals.ts";
import type { Position } from "../../store/port.ts";

const tokenVersion = "meta.k8s.io/v1";
const anyRevision = -1;

/** The namespace that is listed; undefined when it is all of them, "" for cluster-wide kinds. */
export type ListedNamespace = string | undefined;

export function encodeContinue(
  { revision, namespace, name }: Position,
  listed: ListedNamespace,
): string {
  const start = listed === undefined ? `${namespace}/${name}\0` : `${name}\0`;
  const token = { v: tokenVersion, rv: revision, start };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

export function decodeContinue(token: string, listed: ListedNamespace, head: number): Position {
  const { v, rv, start } = tokenOf(token);
  const version = typeof v === "string" ? v : "";
  if (version !== tokenVersion) {
    throw problem(`server does not recognize this encoded version ${version}`);
  }
  if (rv === undefined || rv === 0) {
    throw problem("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (typeof rv !== "number" || !Number.isSafeInteger(rv)) {
    const type = typeof rv === "number" ? `number ${rv}` : jsonName(rv);
    throw problem(
      `json: cannot unmarshal ${type} into Go struct field continueToken.rv of type int64`,
    );
  }
  if (typeof start !== "string" || start === "") {
    throw problem("encoded start key empty (version meta.k8s.io/v1)");
  }
  if (!isCleanPath(start)) throw problem(start);
  const whole = start.endsWith("\0") ? start.slice(0, -1) : start;
  const revision = rv < 0 ? head : rv;
  // Names hold no slash in namespaces, so the first one separates.
  const slash = listed === undefined ? whole.indexOf("/") : -1;
  if (slash < 0) return { revision, namespace: listed ?? "", name: whole };
  return { revision, namespace: whole.slice(0, slash), name: whole.slice(slash + 1) };
}

/** As path.Clean of Go leaves it: no empty part, and none that leads elsewhere. */
function isCleanPath(start: string): boolean {
  const parts = (start.startsWith("/") ? start.slice(1) : start).split("/");
  return parts.every((part) => part !== "" && part !== "." && part !== "..");
}

/** A token that goes on behind the same key, but on whatever the state is by then. */
export function inconsistentContinue(position: Position, listed: ListedNamespace): string {
  return encodeContinue({ ...position, revision: anyRevision }, listed);
}

function tokenOf(token: string): JsonObject {
  const strange =
    /[^A-Za-z0-9_-]/.exec(token)?.index ?? (token.length % 4 === 1 ? token.length - 1 : -1);
  if (strange >= 0) throw problem(`illegal base64 data at input byte ${strange}`);
  const text = Buffer.from(token, "base64url").toString("utf8");
  let value: Json;
  try {
    value = parseExact(text) as Json;
  } catch {
    throw problem(jsonSyntaxProblem(text) ?? "unexpected end of JSON input");
  }
  if (isJsonObject(value)) return value;
  throw problem(
    `json: cannot unmarshal ${jsonName(value)} into Go value of type storage.continueToken`,
  );
}

function problem(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
