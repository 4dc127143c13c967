// Where the next page of a list begins. Clients treat the token as opaque; its form is that of
// kube-apiserver, so that tools which look inside find what they expect. A revision of -1 means
// that the rest may be read from a newer state.

import { isJsonObject } from "../../kernel/json.ts";
import { badRequest } from "../../intents/refusals.ts";
import type { Position } from "../../store/port.ts";

const tokenVersion = "meta.k8s.io/v1";
const anyRevision = -1;

export function encodeContinue({ revision, namespace, name }: Position): string {
  const start = namespace === "" ? `${name}\0` : `${namespace}/${name}\0`;
  const token = { v: tokenVersion, rv: revision, start };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

/** Names hold no slash in namespaces, so the first one separates. */
export function decodeContinue(token: string, isNamespaced: boolean, head: number): Position {
  const problem = (why: string): Error =>
    badRequest(`invalid continue token: continue key is not valid: ${why}`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch (cause) {
    throw badRequest(`invalid continue token: continue key is not valid: ${reason(cause)}`, cause);
  }
  if (!isJsonObject(value)) throw problem("it is not an object");
  const { v, rv, start } = value;
  if (v !== tokenVersion) throw problem("server does not recognize this encoded version");
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0 || rv < anyRevision) {
    throw problem("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (typeof start !== "string" || start === "") {
    throw problem("encoded start key empty (version meta.k8s.io/v1)");
  }
  const whole = start.endsWith("\0") ? start.slice(0, -1) : start;
  const slash = isNamespaced ? whole.indexOf("/") : -1;
  const revision = rv === anyRevision ? head : rv;
  if (slash < 0) return { revision, namespace: "", name: whole };
  return { revision, namespace: whole.slice(0, slash), name: whole.slice(slash + 1) };
}

/** A token that goes on behind the same key, but on whatever the state is by then. */
export function inconsistentContinue(position: Position): string {
  return encodeContinue({ ...position, revision: anyRevision });
}

function reason(cause: unknown): string {
  return cause instanceof SyntaxError ? "it is not JSON" : "it cannot be read";
}
