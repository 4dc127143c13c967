// The parameters of a policy: documents of any kind that a binding names or selects. They are read
// from the store, so that a request sees the parameters that were written before it.

import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import type { Found, KindRegistry } from "../../kinds/registry.ts";
import { readStored } from "../../write/stored.ts";
import type { ParamRef } from "./binding.ts";
import type { ParamKind } from "./policy.ts";

export interface ParamWorld {
  readonly store: Store;
  readonly kinds: KindRegistry;
}

/** Why there are no parameters, in words for who asked. */
export class ParamProblem extends Error {}

export function paramKindFound({ apiVersion, kind }: ParamKind, kinds: KindRegistry): Found {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const found = kinds.findKind(group, version, kind);
  if (found !== undefined) return found;
  const name = `${group}/${version}, Kind=${kind}`;
  throw new ParamProblem(`failed to find resource referenced by paramKind: '${name}'`);
}

/** One entry for each evaluation: undefined where the policy runs without parameters. */
export async function collectParams(
  found: Found | undefined,
  ref: ParamRef | undefined,
  namespace: string,
  { store }: ParamWorld,
): Promise<readonly (Resource | undefined)[]> {
  if (found === undefined || ref === undefined) return [undefined];
  const isNamespaced = found.served.kind.scope === "Namespaced";
  if (!isNamespaced && ref.namespace !== "") {
    throw new ParamProblem(
      "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
    );
  }
  const place = ref.namespace === "" ? namespace : ref.namespace;
  if (isNamespaced && place === "") {
    throw new ParamProblem(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  }
  const where = isNamespaced ? place : "";
  const params =
    ref.name === ""
      ? await selectParams(found, ref, where, store)
      : await namedParam(found, ref.name, where, store);
  if (params.length === 0 && ref.isDeniedWhenMissing) {
    throw new ParamProblem(
      "no params found for policy binding with `Deny` parameterNotFoundAction",
    );
  }
  return params;
}

async function namedParam(
  { served, version }: Found,
  name: string,
  namespace: string,
  store: Store,
): Promise<readonly Resource[]> {
  const record = await store.get({ kind: served.id, namespace, name });
  return record === undefined ? [] : [await readStored(served, version, record)];
}

async function selectParams(
  { served, version }: Found,
  { selector = [] }: ParamRef,
  namespace: string,
  store: Store,
): Promise<readonly Resource[]> {
  const query = { kind: served.id, namespace, labels: selector };
  const params: Resource[] = [];
  let page = await store.list(query);
  for (;;) {
    for (const record of page.records) params.push(await readStored(served, version, record));
    if (page.next === undefined) return params;
    page = await store.list({ ...query, from: page.next });
  }
}
