// The Resource Manager surface over a control plane in memory, for tests that have to stand between
// two steps of a request: every commit passes by them. Its kinds are boxes, with things inside of
// them, and nobody reconciles them.

import type { IncomingHttpHeaders } from "node:http";
import { systemCaller } from "../../src/intents/bootstrap.ts";
import { installKind } from "../../src/intents/install-kind.ts";
import type { KindInput } from "../../src/kernel/kind.ts";
import type { Store } from "../../src/store/port.ts";
import { addressed } from "../../src/surfaces/arm/request/addressed.ts";
import {
  appliedSpecsKind,
  operationsKind,
  subscriptionsKind,
} from "../../src/modules/resource-provider/arm-kinds.ts";
import { namespaceOf } from "../../src/modules/resource-provider/arm-names.ts";
import { placeOfId } from "../../src/surfaces/arm/protocol/arm-path.ts";
import type { ArmPlace } from "../../src/modules/resource-provider/resource-id.ts";
import type { ArmAnswer } from "../../src/surfaces/arm/protocol/arm-answer.ts";
import type { ArmRequest } from "../../src/surfaces/arm/request/arm-request.ts";
import type { ArmSurface } from "../../src/surfaces/arm/request/surface-state.ts";
import { deleteOne } from "../../src/surfaces/arm/resource/deletions.ts";
import { armFaces } from "../../src/modules/resource-provider/faces/faces.ts";
import { assumed, located } from "../../src/surfaces/arm/resource/located.ts";
import type { Located } from "../../src/surfaces/arm/resource/located.ts";
import { moveResources } from "../../src/surfaces/arm/subscription/move.ts";
import type { MayMove } from "../../src/surfaces/arm/subscription/move-check.ts";
import { AwaitedChanges } from "../../src/modules/resource-provider/operations/awaited-changes.ts";
import { FollowedOperations } from "../../src/modules/resource-provider/operations/followed.ts";
import { OpenOperations } from "../../src/modules/resource-provider/operations/open-operations.ts";
import { RecentDocuments } from "../../src/surfaces/arm/request/recent-documents.ts";
import { patchResource, putResource } from "../../src/surfaces/arm/resource/writes.ts";
import type { Reauthorize } from "../../src/surfaces/arm/resource/sent-body.ts";
import { ShownCache } from "../../src/surfaces/arm/request/shown-cache.ts";
import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane } from "../../src/app/memory-plane.ts";

/** A store in memory, for tests that need no control plane. */
export { ModelStore } from "../../src/store/contract/model.ts";

export const subscription = "11111111-2222-3333-4444-555555555555";

export interface MemoryArm extends AsyncDisposable {
  readonly memory: MemoryPlane;
  readonly surface: ArmSurface;
  /** "group/box" or "group/box/thing", such as "a/one/x". */
  put(path: string, tags?: Tags, asking?: Asking): Promise<ArmAnswer>;
  patch(path: string, tags: Tags, asking?: Asking): Promise<ArmAnswer>;
  remove(path: string, headers?: IncomingHttpHeaders, asking?: Asking): Promise<ArmAnswer>;
  /** Boxes. */
  move(from: string, to: string, mayMove?: MayMove): Promise<ArmAnswer>;
  found(path: string): Promise<Located>;
}

type Tags = Readonly<Record<string, string>>;

/** Of a request: whether it may have what it finds, and what happens before its body is there. */
export interface Asking {
  readonly may?: (found: Located) => void;
  readonly whileSent?: () => Promise<unknown>;
}

type Commit = Store["commit"];
type OnCommit = (go: Commit, ...given: Parameters<Commit>) => ReturnType<Commit>;

/**
 * `onCommit` is given every commit of the surface, and how to go on with it; `reconciled` are the
 * kinds that wait for somebody who works on them.
 */
export async function openMemoryArm(
  onCommit: OnCommit = (go, ...given) => go(...given),
  reconciled: ReadonlySet<string> = new Set(),
): Promise<MemoryArm> {
  const memory = await openMemoryPlane({ reconciled });
  const { intents: own } = memory.plane;
  const maker = { name: "boxes", version: 1, isReconciled: false };
  const kinds = [
    kindOf("Box", "boxes"),
    kindOf("Thing", "things"),
    subscriptionsKind,
    operationsKind,
    appliedSpecsKind,
  ];
  for (const kind of kinds) await installKind(own, kind, maker);
  const namespace = namespaceOf(subscription);
  await memory.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const intents = { ...own, store: passing(memory.store, onCommit) };
  const faces = armFaces(intents.kinds);
  // Time stands still here, so that nobody could wait for it.
  const face = { provider: "Example.Boxes", locations: ["Here"], awaitEndMs: 0 };
  const versions = [{ apiVersion: "2026-01-01", schema: { type: "object" } }];
  faces.put({ ...face, kind: "boxes.tests.dev", type: "boxes", versions });
  faces.put({ ...face, kind: "things.tests.dev", type: "boxes/things", versions });
  const surface = {
    intents,
    faces,
    authorizer: memory.plane.rbac,
    retryAfterSeconds: 1,
    shown: new ShownCache(),
    documents: new RecentDocuments(),
    followed: new FollowedOperations(100),
    open: new OpenOperations(),
    awaited: new AwaitedChanges(memory.surroundings.timers),
  } as unknown as ArmSurface;
  const unfollow = memory.plane.feed.subscribe((changes) => {
    for (const change of changes) {
      surface.followed.changed(change);
      surface.awaited.changed(change);
    }
  });
  return {
    memory,
    surface,
    ...callsOf(surface),
    [Symbol.asyncDispose]: async () => {
      unfollow();
      await memory[Symbol.asyncDispose]();
    },
  };
}

function callsOf(surface: ArmSurface): Omit<MemoryArm, "memory" | "surface" | symbol> {
  const found = async (path: string): Promise<Located> =>
    await located(surface, addressed(surface, requestOf(), placeOf(path)));
  return {
    found,
    put: async (path, tags = {}, asking = {}) => {
      const location = path.split("/").length > 2 ? {} : { location: "here" };
      const request = requestOf({ ...location, tags, properties: {} }, {}, asking);
      const at = await assumed(surface, addressed(surface, request, placeOf(path)));
      return await putResource(surface, request, at, askedBy(request, asking));
    },
    patch: async (path, tags, asking = {}) => {
      const request = requestOf({ tags }, {}, asking);
      return await patchResource(surface, request, await found(path), askedBy(request, asking));
    },
    remove: async (path, headers, asking = {}) => {
      const request = requestOf({}, headers);
      return await deleteOne(surface, request, await found(path), askedBy(request, asking));
    },
    move: async (from, to, mayMove = () => undefined) => {
      const targetResourceGroup = `/subscriptions/${subscription}/resourceGroups/${to}`;
      const [group = ""] = from.split("/");
      const request = requestOf({ targetResourceGroup, resources: [idOf(from)] });
      const path = { kind: "move", subscription, group, isValidation: false } as const;
      return await moveResources(surface, request, path, mayMove);
    },
  };
}

function passing(store: Store, onCommit: OnCommit): Store {
  const go: Commit = (...given) => store.commit(...given);
  return new Proxy(store, {
    get: (target, key) => {
      if (key === "commit") return (...given: Parameters<Commit>) => onCommit(go, ...given);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

function kindOf(kind: string, plural: string): KindInput {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { type: "object", properties: { spec: { type: "object" }, status: anything } };
  return {
    group: "tests.dev",
    names: { plural, kind },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema }],
  };
}

function idOf(path: string): string {
  const [group = "", box = "", thing] = path.split("/");
  const around = `/subscriptions/${subscription}/resourceGroups/${group}`;
  const inside = thing === undefined ? "" : `/things/${thing}`;
  return `${around}/providers/Example.Boxes/boxes/${box}${inside}`;
}

function placeOf(path: string): ArmPlace {
  const place = placeOfId(idOf(path));
  if (place === undefined) throw new Error(`${path} is not a path of the Resource Manager`);
  return place;
}

function askedBy(request: ArmRequest, { may }: Asking): Reauthorize {
  return (at) => {
    may?.(at);
    return request;
  };
}

function requestOf(
  body: object = {},
  headers: IncomingHttpHeaders = {},
  { whileSent }: Asking = {},
): ArmRequest {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    exchange: {
      method: "PUT",
      headers: { "content-type": "application/json", host: "localhost", ...headers },
      readBody: async () => {
        await whileSent?.();
        return bytes;
      },
    },
    parsedUrl: {},
    query: new Map([["api-version", "2026-01-01"]]),
    user: { name: "tester", groups: [] },
    isManager: false,
    caller: { ...systemCaller, through: "arm" },
    ids: { request: "r", correlation: "c", client: undefined, trace: "0".repeat(32) },
  } as unknown as ArmRequest;
}
