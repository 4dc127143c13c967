// Quotas on numbers of objects, decided inside the commit: a new object takes its place in every
// quota that counts it, and the store refuses it when one of them is full. A new quota begins with
// the places of the objects that are there already.

import type { CounterBound, CounterUse } from "../../../store/port.ts";
import type { LiveView } from "../../live-view.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../admission.ts";
import { counterOf, quotaNamesOf, quotaOf, quotasKind } from "./quota.ts";
import type { Quota } from "./quota.ts";
import type { QuotaIndex } from "./quota-index.ts";
import { quotaExceeded } from "./quota-refusal.ts";
import { usageOf } from "./usage.ts";
import type { UsageWorld } from "./usage.ts";

const none: readonly CounterUse[] = [];
const attempts = 8;

export interface QuotaWorld extends UsageWorld {
  readonly live: LiveView;
}

export function quotaPlugin(index: QuotaIndex, world: QuotaWorld): AdmissionPlugin {
  const older = new WeakMap<AdmissionRequest, readonly CounterUse[]>();
  const prepare = async (request: AdmissionRequest): Promise<void> => {
    older.set(request, await olderUses(quotaIn(request), world));
  };
  return {
    name: "ResourceQuota",
    validate: (request) => {
      if (isNewQuota(request)) return prepare(request);
      if (!request.isDryRun || request.operation !== "CREATE") return undefined;
      return tryPlaces(request, index, world);
    },
    uses: (request) => {
      const quotas = index.of(request.target.namespace);
      const own = isNewQuota(request) ? (older.get(request) ?? none) : none;
      if (quotas.length === 0) return own;
      const names = quotaNamesOf(request.target.served.kind);
      return own.concat(quotas.flatMap((quota) => places(quota, names)));
    },
    bounds: (request) => (isQuotaSpec(request) ? boundsOf(quotaIn(request)) : undefined),
    refusal: ({ target }, fault) =>
      "value" in fault ? quotaExceeded(world.live, target, fault) : undefined,
  };
}

/** A dry run takes no place, so it is told here what the commit would say. */
async function tryPlaces(
  request: AdmissionRequest,
  index: QuotaIndex,
  { store, live }: QuotaWorld,
): Promise<void> {
  const { target } = request;
  const names = quotaNamesOf(target.served.kind);
  for (const { counter } of index.of(target.namespace).flatMap((one) => places(one, names))) {
    const { value, max } = await store.counter(counter);
    if (max === undefined || value < max) continue;
    const error = quotaExceeded(live, target, { counter, value: value + 1, max });
    if (error !== undefined) throw error;
  }
}

function places(quota: Quota, names: readonly string[]): readonly CounterUse[] {
  return names
    .filter((name) => quota.hard.has(name))
    .map((name) => ({ counter: counterOf(quota, name), amount: 1 }));
}

function boundsOf(quota: Quota): readonly CounterBound[] {
  return [...quota.hard].map(([resource, max]) => ({ counter: counterOf(quota, resource), max }));
}

/** Under a storm of writes the follower finishes what is not settled here. */
async function olderUses(quota: Quota, world: UsageWorld): Promise<readonly CounterUse[]> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const usage = await usageOf(quota, world);
    if (usage !== undefined) return usage.uses;
  }
  return none;
}

function isNewQuota(request: AdmissionRequest): boolean {
  return request.operation === "CREATE" && isQuotaSpec(request);
}

function isQuotaSpec({ target, object }: AdmissionRequest): boolean {
  return target.served.id === quotasKind && target.subresource === "" && object !== undefined;
}

function quotaIn({ object }: AdmissionRequest): Quota {
  if (object === undefined) throw new Error("a written quota has a document");
  return quotaOf(object);
}
