// Admission: gives a request its place among those that are in progress, makes it wait, or refuses
// it with request.overloaded. The decision takes a tenant (tenant.ts) and a cost: the type of work,
// and the bytes of memory that the request will hold. Each type of work of each surface has a lane
// (fair-lane.ts); memory is one lane for all surfaces.

import { mastersGroup } from "../../intents/auth/user.ts";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Exchange } from "./exchange.ts";
import { FairLane } from "./fair-lane.ts";
import type { FairLaneOptions, LaneCounts } from "./fair-lane.ts";
import type { FlowPorts } from "./flow-account.ts";
import { LoopShare } from "./loop-share.ts";
import type { PageTurns } from "./loop-share.ts";
import { Place } from "./place.ts";
import { SharedBytes } from "./shared-bytes.ts";
import type { HttpSurface, SurfaceRequest } from "./surface.ts";
import { hasSmallShare, isAddressTenant } from "./tenant.ts";
import { inLaterTurn } from "./turn.ts";

/** `long` is a request without an end, such as a watch. */
export type WorkType = "read" | "list" | "write" | "long";

/** Shared constants, so that a cost allocates nothing. */
export interface RequestCost {
  readonly work: WorkType;
  /** Memory that is reserved before the request is handled. Bodies are added when they are read. */
  readonly bytes: number;
}

export const readCost: RequestCost = { work: "read", bytes: 0 };
export const listCost: RequestCost = { work: "list", bytes: limits.pageMemoryBytes };
export const writeCost: RequestCost = { work: "write", bytes: 0 };
export const longCost: RequestCost = { work: "long", bytes: 0 };

/** A lane for each type of work, and one for requests whose body is still arriving. */
export type Lanes = Readonly<Record<WorkType | "body", FairLane>>;

/** What is known of the body of a request before it is read. */
export type BodyState = Pick<Exchange, "isBodyInTransit" | "bodyBytesAhead">;

export interface Admission {
  /** A place must be entered before the request is handled, and left when it has ended. */
  placeOf(tenant: string, cost: RequestCost, body: BodyState): Place;
  /** A request that is exempt from admission shares the event loop with the others. */
  turnsOf(tenant: string): PageTurns;
  counts(lane: keyof Lanes): LaneCounts;
}

export type LaneLimits = Partial<Pick<FairLaneOptions, "capacity" | "maxQueued">>;

export interface AdmissionInput extends FlowPorts {
  readonly timers: Timers;
  readonly loop: LoopShare;
  /** For tests: other limits than those of the kernel. */
  readonly lanes?: Readonly<Partial<Record<keyof Lanes, LaneLimits>>>;
}

/** The places of one surface. */
export function createAdmission(input: AdmissionInput): Admission {
  const { timers, memory, shared, loop, lanes: own = {} } = input;
  const lane = (name: keyof Lanes, capacity: number, more: LaneLimits & ShareInput): FairLane =>
    new FairLane(laneOptions({ timers, capacity, ...more, ...own[name] }));
  const brief = { share: briefShare };
  const lanes: Lanes = {
    read: lane("read", limits.maxReadsInFlight, brief),
    list: lane("list", limits.maxListsInFlight, brief),
    write: lane("write", limits.maxWritesInFlight, brief),
    body: lane("body", limits.maxBodiesInTransit, { share: 1 }),
    // A watch that had to wait would miss what it watches: it is refused instead.
    long: lane("long", limits.maxLongRequests, { share: 1, maxQueued: 0 }),
  };
  return {
    placeOf: (tenant, { work, bytes }, { isBodyInTransit, bodyBytesAhead: bytesAhead }) => {
      const ports = { lanes, memory, shared, loop };
      return new Place(ports, tenant, { work, bytes, isBodyInTransit, bytesAhead });
    },
    turnsOf: (tenant) => loop.turnsOf(tenant),
    counts: (name) => lanes[name].counts(),
  };
}

/** The places of all surfaces of a server. */
export interface Admissions {
  of(surface: string): Admission;
  /** What requests of all surfaces hold in a lane; `memory` in bytes. */
  held(lane: keyof Lanes | "memory"): number;
}

/** `maxBytes` is for tests. */
export function createAdmissions(timers: Timers, maxBytes?: number): Admissions {
  const memory = memoryLane(timers, maxBytes === undefined ? {} : { capacity: maxBytes });
  const shared = new SharedBytes(memory);
  const loop = loopShare();
  const all = new Map<string, Admission>();
  return {
    of: (surface) => {
      const admission = all.get(surface) ?? createAdmission({ timers, memory, shared, loop });
      all.set(surface, admission);
      return admission;
    },
    held: (lane) => {
      if (lane === "memory") return memory.counts().held;
      return [...all.values()].reduce((sum, one) => sum + one.counts(lane).held, 0);
    },
  };
}

/** The bytes that requests of all surfaces hold. */
export function memoryLane(timers: Timers, own: LaneLimits = {}): FairLane {
  const { maxBytesInFlight: capacity, leastBytesInFlight: least } = limits;
  return new FairLane(laneOptions({ timers, capacity, share: 1, least, ...own }));
}

/** The pages that requests of all surfaces read. */
export function loopShare(): LoopShare {
  return new LoopShare({ bytesPerTurn: limits.maxPageBytes, later: inLaterTurn });
}

/** What ends within a short time is shared less strictly than what stays. */
const briefShare = 3;
/** Of callers without a role, who are one tenant, and of requests without credentials. */
const smallShare = 1 / 16;
/** Of all requests without credentials together: the owner of a network can use many addresses. */
const addressesShare = 1 / 8;

interface ShareInput {
  readonly share: number;
  readonly least?: number;
}

function laneOptions(
  input: ShareInput & LaneLimits & { readonly timers: Timers },
): FairLaneOptions {
  const { timers, capacity = 1, share, least = 1, maxQueued = limits.maxQueuedRequests } = input;
  return {
    timers,
    capacity,
    shareOf: (tenant) => (hasSmallShare(tenant) ? smallShare : share),
    least,
    maxQueued,
    maxQueuedPerTenant: limits.maxQueuedRequestsPerTenant,
    maxWaitMs: limits.maxRequestWaitMs,
    common: { includes: isAddressTenant, most: Math.max(least, capacity * addressesShare) },
  };
}

/** The cost to admit; undefined for a request that needs no place. */
export function admittedCost(
  surface: HttpSurface,
  request: SurfaceRequest,
): RequestCost | undefined {
  if (request.parsed.isOpen) return undefined;
  // An administrator must be able to repair an overloaded server.
  if (request.user.groups.includes(mastersGroup)) return undefined;
  return surface.costOf(request);
}
