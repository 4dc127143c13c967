// Gathers what a run needs before it can ask the service: the connection with its secrets, what is
// wanted with its secrets, the parameters of the paths, the parent. What is missing and may come is
// waited for, by references, so that its coming wakes the resource.

import { createHmac } from "node:crypto";
import { ReconcileFailure, failed, waiting } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { isMadeOutside } from "../kinds/kept-object.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { secretData } from "../../../kernel/secret-data.ts";
import type { SecretData } from "../../../kernel/secret-data.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { Binding, Management } from "../binding.ts";
import { ConnectionProblem, secretNamesOf } from "../http/connection.ts";
import type { RestClient } from "../http/client.ts";
import type { Clients } from "../http/clients.ts";
import { hider } from "../../../kernel/hider.ts";
import type { Hide } from "../../../kernel/hider.ts";
import type { ServiceHealth } from "../http/service-health.ts";
import type { CompiledBinding } from "../kinds/compiled-binding.ts";
import { connectionsKind } from "../kinds/connection-kind.ts";
import { restKindsKind } from "../kinds/rest-kind-kind.ts";
import { setDeep, withoutNulls } from "../plan/documents.ts";
import { fieldsFor } from "../plan/fields.ts";
import type { Fields } from "../plan/fields.ts";
import { isPathOf, pathText } from "../plan/requests.ts";
import type { Parameters } from "../plan/requests.ts";
import { Book } from "./book.ts";
import { throughHooks } from "./hooks.ts";
import type { NamedHooks } from "./hooks.ts";
import { managementOf } from "./management.ts";
import { isNaming } from "../plan/naming-fields.ts";
import { ownerMark } from "./owner-mark.ts";
import { noParent, parentOf, parentOfPlaced } from "./parents.ts";
import type { SealPorts } from "./sealing.ts";
import type { Session } from "./session.ts";
import { secretTexts } from "./showing.ts";
import type { Siblings } from "./siblings.ts";
import type { Turns } from "./turns.ts";

export interface LoopPorts {
  readonly clients: Clients;
  readonly timers: Timers;
  readonly siblings: Siblings;
  readonly turns: Turns;
  readonly hooksOf: (kind: string) => readonly NamedHooks[];
  readonly count: (what: "write" | "drift", kind: string) => void;
  /** Whether the RestKind of a kind is being deleted, as far as this process knows. */
  readonly isEnding: (kind: string) => boolean;
  /** Undefined where nothing is stored, as for a preview. */
  readonly seal?: SealPorts;
  /** Told how the service behind a client fares; undefined where nobody wants to know. */
  readonly heard?: (client: RestClient, health: ServiceHealth) => void;
  /** Told of a Connection by which nobody can be asked. */
  readonly unusable?: (connection: string, health: ServiceHealth) => void;
}

export type Prepared =
  | { readonly kind: "ready"; readonly session: Session }
  | { readonly kind: "ends"; readonly outcome: Outcome };

const defaultResyncSeconds = 600;
const leastResyncSeconds = 5;

export async function prepare(
  ports: LoopPorts,
  compiled: CompiledBinding,
  resource: Resource,
  context: Context,
  what: "reconcile" | "remove",
): Promise<Prepared> {
  const { binding } = compiled;
  const management = managementOf(resource);
  const fixed = fixedParameters(binding, management);
  const book = new Book(resource, {
    store: (fields) => context.status.patch(fields),
    isPath: (path) => isPathOf(binding.item, path, fixed),
  });
  if (what === "reconcile" && !isMadeOutside(resource)) {
    const outcome = await untilNotEnding(ports, compiled, management, context);
    if (outcome !== undefined) return { kind: "ends", outcome };
  }
  const client = await clientFor(ports, context, resource, binding, management);
  if (client.kind === "ends") return client;
  const wanted = await desiredOf(ports, compiled, resource, context, management);
  if (wanted.kind === "ends" && what === "reconcile") return wanted;
  const desired = wanted.kind === "ends" ? {} : wanted.desired;
  const { path, id, creating } = book.pages;
  // What was never made, or is known to be gone, needs no parent to be let go of.
  const isNothing = creating === undefined && id === undefined;
  const isPlaced = path !== undefined || (what === "remove" && isNothing);
  const parent = isPlaced
    ? what === "remove"
      ? noParent
      : await parentOfPlaced(binding, management, context)
    : await parentOf(binding, management, context);
  if (parent.kind === "ends" && !isPlaced) return parent;
  const ofParent = parent.kind === "found" ? parent.parameters : {};
  const key = await digestKey(compiled, management, context);
  const seconds = management.resyncSeconds ?? binding.resyncSeconds ?? defaultResyncSeconds;
  const fields = fieldsFor(compiled.tree, management);
  const session: Session = {
    resource,
    context,
    timers: ports.timers,
    compiled,
    management,
    client: client.client,
    siblings: ports.siblings,
    turns: ports.turns,
    hooks: ports.hooksOf(compiled.kind),
    book,
    fields,
    desired,
    digest: (value) => digest(key, value as Json),
    parameters: parametersFor(binding, management, resource, desired, ofParent),
    parent,
    resyncMs: Math.max(leastResyncSeconds, seconds) * 1_000,
    hide: hiding(client.client, desired, fields),
    count: (counted) => ports.count(counted, compiled.kind),
    heard: (health) => ports.heard?.(client.client, health),
  };
  return { kind: "ready", session };
}

/** By what is being deleted nothing new is made: soon nobody could take it back. */
async function untilNotEnding(
  { isEnding }: LoopPorts,
  { kind, binding }: CompiledBinding,
  management: Management,
  context: Context,
): Promise<Outcome | undefined> {
  const name = management.connection ?? binding.connection;
  const parts = [
    { word: "Connection", blocker: { kind: connectionsKind, name } },
    ...(isEnding(kind) ? [{ word: "RestKind", blocker: { kind: restKindsKind, name: kind } }] : []),
  ];
  for (const { word, blocker } of parts) {
    const found = await context.references.get(blocker);
    if (found?.metadata.deletionTimestamp === undefined) continue;
    const message = `the ${word} ${blocker.name} is being deleted, so no objects are created`;
    return waiting({ ...blocker, isThere: true }, { message });
  }
  return undefined;
}

type ClientFound =
  | { readonly kind: "found"; readonly client: RestClient }
  | { readonly kind: "ends"; readonly outcome: Outcome };

async function clientFor(
  { clients, unusable }: LoopPorts,
  context: Context,
  resource: Resource,
  binding: Binding,
  management: Management,
): Promise<ClientFound> {
  const name = management.connection ?? binding.connection;
  const blocker = { kind: connectionsKind, name };
  const connection = await context.references.get(blocker);
  if (connection === undefined) {
    const message = `the Connection ${name} does not exist`;
    return { kind: "ends", outcome: waiting(blocker, { message }) };
  }
  const spec = objectAt(connection, "spec");
  const allowed = textsAt(spec, "namespaces");
  const { namespace = "" } = resource.metadata;
  if (allowed.length > 0 && !allowed.includes(namespace)) {
    const message = `the Connection ${name} does not allow the namespace ${namespace}`;
    return { kind: "ends", outcome: failed("ConnectionForbidden", message, { retry: "never" }) };
  }
  const secretNamespace = textAt(spec, "secretNamespace");
  const secrets = new Map<string, SecretData | undefined>();
  const versions = [connection.metadata.uid, String(connection.metadata.generation)];
  for (const secretName of secretNamesOf(spec)) {
    const secret = await context.references.get({
      kind: "secrets",
      namespace: secretNamespace,
      name: secretName,
    });
    secrets.set(secretName, secretData(secret));
    versions.push(secret?.metadata.uid ?? "", secret?.metadata.resourceVersion ?? "");
  }
  try {
    const version = versions.join(" ");
    return { kind: "found", client: clients.get({ name, spec, secrets, version }) };
  } catch (error) {
    if (!(error instanceof ConnectionProblem)) throw error;
    const message = `the Connection ${name}: ${error.message}`;
    const { missingSecret } = error;
    const isThere = missingSecret !== undefined && secrets.get(missingSecret) !== undefined;
    if (missingSecret === undefined) {
      unusable?.(name, { status: "False", reason: "ConnectionInvalid", message: error.message });
      return { kind: "ends", outcome: failed("ConnectionInvalid", message, { retry: "never" }) };
    }
    const on = { kind: "secrets", namespace: secretNamespace, name: missingSecret, isThere };
    const isGoing = resource.metadata.deletionTimestamp !== undefined;
    const where = `${message} (in the namespace ${secretNamespace})`;
    unusable?.(name, {
      status: "False",
      reason: isThere ? "SecretInvalid" : "SecretNotFound",
      message: `${error.message} (in the namespace ${secretNamespace})`,
    });
    const hint = "; create it again: the object cannot be deleted without it";
    const whole = isGoing ? `${where}${hint}` : where;
    return { kind: "ends", outcome: waiting(on, { message: whole }) };
  }
}

type Wanted =
  | { readonly kind: "wanted"; readonly desired: JsonObject }
  | { readonly kind: "ends"; readonly outcome: Outcome };

async function desiredOf(
  ports: LoopPorts,
  compiled: CompiledBinding,
  resource: Resource,
  context: Context,
  management: Management,
): Promise<Wanted> {
  const spec = resource.spec !== undefined && isJsonObject(resource.spec) ? resource.spec : {};
  let desired = withoutNulls(spec) as JsonObject;
  for (const { field, secret: name, key } of management.secrets ?? []) {
    if (isNaming(compiled.binding, field)) {
      const message = `${field} identifies the object and is readable, so it cannot be a secret`;
      return { kind: "ends", outcome: failed("SecretInName", message, { retry: "never" }) };
    }
    const blocker = { kind: "secrets", name };
    const data = secretData(await context.references.get(blocker));
    const value = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
    if (value === undefined) {
      const isThere = data !== undefined;
      const what = isThere ? `the Secret has no key ${key}` : "the Secret does not exist";
      const on = { ...blocker, isThere };
      return { kind: "ends", outcome: waiting(on, { message: `${what} ${name}` }) };
    }
    desired = setDeep(desired, parsePointer(field), value);
  }
  const { ownerMarker } = compiled.binding;
  if (ownerMarker !== undefined) {
    desired = setDeep(desired, parsePointer(ownerMarker), ownerMark(resource));
  }
  const mapped = await throughHooks<JsonObject, JsonObject>(
    ports.hooksOf(compiled.kind),
    "mapDesired",
    { input: desired, resource, last: (given) => Promise.resolve(given) },
  );
  return { kind: "wanted", desired: withoutNulls(mapped) as JsonObject };
}

/** What neither a resource nor anything in its status can change. */
function fixedParameters({ parameters = {} }: Binding, management: Management): Parameters {
  const found: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(management.parameters ?? {})) {
    // What the binding says itself is not for a resource to change.
    const source = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (source === undefined || "given" in source) found[name] = value;
  }
  for (const [name, source] of Object.entries(parameters)) {
    if ("value" in source) found[name] = source.value;
  }
  return found;
}

function parametersFor(
  binding: Binding,
  management: Management,
  resource: Resource,
  desired: JsonObject,
  ofParent: Parameters,
): Parameters {
  const { identity, parameters = {} } = binding;
  const found: { [name: string]: string } = {};
  for (const [name, source] of Object.entries(parameters)) {
    if (!("field" in source)) continue;
    const value = pathText(getAt(desired, parsePointer(source.field)));
    if (value !== undefined) found[name] = value;
  }
  Object.assign(found, ofParent, fixedParameters(binding, management));
  if (identity.kind === "client") {
    const own =
      identity.field === undefined
        ? resource.metadata.name
        : pathText(getAt(desired, parsePointer(identity.field)));
    if (own !== undefined) found[identity.parameter] = own;
  }
  if (identity.kind === "composite") {
    for (const [name, field] of Object.entries(identity.fields)) {
      const value = pathText(getAt(desired, parsePointer(field)));
      if (value !== undefined) found[name] = value;
    }
  }
  return found;
}

function hiding(client: RestClient, desired: JsonObject, fields: Fields): Hide {
  const hide = hider(secretTexts(desired, fields));
  return (text) => hide(client.hide(text));
}

/** Kept sealed beside the resource: who sees the digests cannot try words against them. */
async function digestKey(
  { binding }: CompiledBinding,
  { secrets = [] }: Management,
  context: Context,
): Promise<string> {
  const hasSecrets = secrets.length > 0 || binding.fields.some(({ isSecret }) => isSecret === true);
  if (!hasSecrets) return "";
  return await context.remember("connect-digest-key", () =>
    Buffer.from(context.random.bytes(32)).toString("hex"),
  );
}

function digest(key: string, value: Json): string {
  if (key === "") throw new ReconcileFailure(failed("SecretsUnknown", "no secret was expected"));
  return `hmac-sha256:${createHmac("sha256", key).update(canonicalJson(value)).digest("hex")}`;
}
