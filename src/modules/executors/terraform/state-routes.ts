// Terraform's own `http` backend: GET, POST, LOCK and UNLOCK of one address, with the answers that
// Terraform expects, and routes for versions. See docs/reference/executors.md.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { parseExact } from "../../../kernel/int64.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorsGroup } from "../group.ts";
import { executorLimits } from "../limits.ts";
import { stateFacts, withSerial } from "./state-file.ts";
import { headOf, readVersion } from "./state-store.ts";
import {
  StateLocked,
  conflict,
  listVersions,
  lockOf,
  lockState,
  readHead,
} from "./state-writes.ts";
import { storeState, storeVersion, unlockState } from "./state-writes.ts";
import type { StateAddress, StateWriter } from "./state-writes.ts";

const path = "/api/v1/terraform-state/{namespace}/{name}";
const parameters = {
  namespace: "Namespace of the state.",
  name: "Name of the TerraformState.",
};
const tag = "terraform-state";
const empty = { type: "object" };

/** Verbs of TerraformStates: its content has secrets, so `get` is not enough. */
export const contentVerbs = ["read-content", "write-content"] as const;
export const forceVerb = "force-unlock";

function access(verb: string): Extract<Route["access"], { readonly kind: "resource" }> {
  const at = { namespace: "{namespace}", name: "{name}" };
  return { kind: "resource", verb, group: executorsGroup, resource: "terraformstates", ...at };
}

export function stateRoutes(ports: RoutePorts, clock: Clock): readonly Route[] {
  const common = { path, parameters, tag };
  const write = { ...common, access: access("write-content") };
  return [
    {
      ...common,
      method: "GET",
      summary: "Read a state of Terraform.",
      access: access("read-content"),
      answers: {
        200: { description: "The state file.", schema: empty },
        204: { description: "There is no state." },
      },
      handle: async (request) => await readState(ports, request),
    },
    {
      ...write,
      method: "POST",
      summary: "Store a state of Terraform.",
      query: { type: "object", properties: { ID: { type: "string", maxLength: 256 } } },
      textBytes: executorLimits.maxSentStateBytes,
      answers: { 200: { description: "The state is stored." } },
      errors: [400, 403, 409, 423],
      handle: async (request) =>
        await answered(async () => {
          const given = { text: request.text ?? "", lockId: textAt(request.query, "ID") };
          await storeState(writerOf(ports, clock, request), addressOf(request), given);
        }),
    },
    {
      ...write,
      method: "LOCK",
      summary: "Lock a state of Terraform.",
      textBytes: executorLimits.maxLockBytes,
      answers: { 200: { description: "The caller holds the lock." } },
      errors: [400, 403, 423],
      handle: async (request) =>
        await answered(async () => {
          const info = request.text ?? "";
          const id = lockIdIn(info);
          if (id === "") throw withoutId("LOCK");
          await lockState(writerOf(ports, clock, request), addressOf(request), { id, info });
        }),
    },
    {
      ...write,
      method: "UNLOCK",
      summary: "Unlock a state of Terraform.",
      textBytes: executorLimits.maxLockBytes,
      answers: { 200: { description: "The lock is released." } },
      errors: [400, 403, 423],
      handle: async (request) => await answered(async () => await unlock(ports, clock, request)),
    },
    ...versionRoutes(ports, clock),
  ];
}

function versionRoutes(ports: RoutePorts, clock: Clock): readonly Route[] {
  return [
    {
      method: "GET",
      path: `${path}/versions`,
      parameters,
      tag,
      summary: "List the versions of a state.",
      access: access("get"),
      isList: true,
      answers: { 200: { description: "The newest first.", schema: empty } },
      handle: async (request) => await versionsAnswer(ports, request),
    },
    {
      method: "POST",
      path: `${path}/restore`,
      parameters,
      tag,
      summary: "Store an earlier version as the newest one.",
      access: access("write-content"),
      body: {
        required: ["version"],
        properties: { version: { type: "string", maxLength: 253 } },
      },
      answers: { 200: { description: "The version is restored.", schema: empty } },
      errors: [403, 404, 409, 423],
      handle: async (request) => await answered(async () => await restore(ports, clock, request)),
    },
    {
      method: "POST",
      path: `${path}/force-unlock`,
      parameters,
      tag,
      summary: "Release the lock of another holder. The audit log records it.",
      access: access(forceVerb),
      body: { properties: { id: { type: "string", maxLength: 256 } } },
      answers: { 200: { description: "The lock is released." } },
      errors: [403, 423],
      handle: async (request) =>
        await answered(async () => {
          await forced(ports, clock, request, textAt(request.body, "id") || undefined);
        }),
    },
  ];
}

function addressOf({ path: given }: RouteRequest): StateAddress {
  return { namespace: given["namespace"] ?? "", name: given["name"] ?? "" };
}

function writerOf({ intents }: RoutePorts, clock: Clock, { caller }: RouteRequest): StateWriter {
  return { intents, caller, nowMs: clock.nowMs() };
}

/** A locked state is answered with what its holder sent, which Terraform shows. */
async function answered(work: () => Promise<void>): Promise<RouteAnswer> {
  try {
    await work();
    return { kind: "document", status: 200, document: {} };
  } catch (error) {
    if (!(error instanceof StateLocked)) throw error;
    return { kind: "text", status: 423, contentType: "application/json", text: error.info };
  }
}

async function readState(ports: RoutePorts, request: RouteRequest): Promise<RouteAnswer> {
  const at = addressOf(request);
  const head = await readHead(ports, at);
  const version = head === undefined ? "" : headOf(head).version;
  if (version === "") return { kind: "document", status: 204 };
  const text = await readVersion(ports, at.namespace, version);
  const headers = { "cache-control": "no-store" };
  return { kind: "text", status: 200, contentType: "application/json", text, headers };
}

/** `terraform force-unlock` sends no body: it needs the right to force. */
async function unlock(ports: RoutePorts, clock: Clock, request: RouteRequest): Promise<void> {
  const id = lockIdIn(request.text ?? "");
  if (id !== "") {
    await unlockState(writerOf(ports, clock, request), addressOf(request), id);
    return;
  }
  const { namespace, name } = addressOf(request);
  const { allowed } = ports.authorizer.authorize(request.caller.user, {
    kind: "resource",
    verb: forceVerb,
    group: executorsGroup,
    resource: "terraformstates",
    subresource: "",
    namespace,
    name,
  });
  if (!allowed) throw withoutId("UNLOCK");
  await forced(ports, clock, request, undefined);
}

async function forced(
  ports: RoutePorts,
  clock: Clock,
  request: RouteRequest,
  id: string | undefined,
): Promise<void> {
  const held = lockOf(await readHead(ports, addressOf(request)));
  await unlockState(writerOf(ports, clock, request), addressOf(request), id);
  request.caller.annotate?.(`${executorsGroup}/force-unlocked`, held?.id ?? "none");
}

function withoutId(method: string): SetpointError {
  const message = `${method} needs a body with the ID of the lock`;
  const suggestion = `to release the lock of another holder, use POST .../force-unlock`;
  return new SetpointError("request.invalid", message, { details: { field: "body" }, suggestion });
}

function lockIdIn(text: string): string {
  if (text.trim() === "") return "";
  try {
    return textAt(parseExact(text) as Json, "ID").slice(0, 256);
  } catch {
    // Not JSON: there is no id.
    return "";
  }
}

async function versionsAnswer(ports: RoutePorts, request: RouteRequest): Promise<RouteAnswer> {
  const at = addressOf(request);
  const head = await readHead(ports, at);
  if (head === undefined) throw missing(at.name);
  const versions = await listVersions(ports, at.namespace, headOf(head).uid);
  const items = versions.map((version) => versionFacts(version));
  const { version } = headOf(head);
  return { kind: "document", status: 200, document: { current: version, items } };
}

const shownFacts = ["serial", "lineage", "digest", "bytes", "resources", "user", "run"] as const;

function versionFacts({ metadata, spec }: Resource): JsonObject {
  const all = objectAt(spec);
  const known = [...shownFacts, "restoredFrom"].filter((fact) => Object.hasOwn(all, fact));
  const facts = known.map((fact): [string, Json] => [fact, all[fact] ?? null]);
  const { name, creationTimestamp } = metadata;
  return { name, createdAt: creationTimestamp, ...Object.fromEntries(facts) };
}

async function restore(ports: RoutePorts, clock: Clock, request: RouteRequest): Promise<void> {
  const at = addressOf(request);
  const version = textAt(request.body, "version");
  const head = await readHead(ports, at);
  if (head === undefined) throw missing(at.name);
  const versions = await listVersions(ports, at.namespace, headOf(head).uid);
  if (!versions.some(({ metadata }) => metadata.name === version)) throw missing(version);
  const old = await readVersion(ports, at.namespace, version);
  const text = withSerial(old, (numberAt(head, "spec", "serial") ?? 0) + 1);
  const facts = stateFacts(text);
  if (facts === undefined) throw conflict(`${version} is not a state of Terraform`);
  await storeVersion(writerOf(ports, clock, request), at, {
    text,
    facts,
    origin: { user: request.caller.user.name, restoredFrom: version },
    check: (now) => {
      const held = lockOf(now);
      if (held !== undefined) throw new StateLocked(held.info);
    },
  });
}

function missing(name: string): SetpointError {
  return new SetpointError("resource.not_found", `there is no state or version ${name}`);
}
