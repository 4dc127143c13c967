// From one resource to the root causes of its trouble: what holds it, what holds that, and so on.
// The walk goes level by level, reads each resource once, and ends whatever the graph looks like:
// circles are told as such, and depth, breadth and the number of resources are bounded.

import { keyText } from "../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { WorkState } from "../../store/port.ts";
import { diagnose } from "./diagnose.ts";
import type { Diagnosis, KindNames, KnownWorkers, Relation } from "./diagnosis.ts";
import type { State, Subject, Suspect } from "./diagnosis.ts";
import {
  hiddenText,
  isBlocking,
  isWaitingOwner,
  isUnnamed,
  missingText,
  unmetBy,
} from "./suspicion.ts";
import type { Seen } from "./suspicion.ts";

export interface Observer extends KindNames {
  /** One answer for each key; called once for a level of the walk. */
  look(keys: readonly ResourceKey[]): Promise<readonly Seen[]>;
}

export interface Explanation {
  readonly isReady: boolean;
  /** One sentence about the resource. */
  readonly summary: string;
  readonly resource: Explained;
  /** Where the chains of blockers end: what somebody should look at. */
  readonly causes: readonly Cause[];
}

export interface Explained {
  readonly key: ResourceKey;
  readonly apiVersion: string | undefined;
  /** As people call it: "Database", or the kind id when that is not served. */
  readonly kind: string;
  /** How it is connected to the resource above it; undefined for the first. */
  readonly relation: Relation | undefined;
  readonly state: State | OtherState;
  readonly ready: Diagnosis["ready"];
  readonly isBehind?: boolean;
  readonly message: string;
  readonly details: readonly string[];
  readonly work: WorkState | undefined;
  /** Who works on its kind; undefined when no reconciler handles it, or it was not seen. */
  readonly workers: KnownWorkers | undefined;
  readonly blockers: readonly Explained[];
  /** How many blockers are not shown, or not even looked at. */
  readonly more: number;
}

export type OtherState =
  | "Missing"
  | "NotVisible"
  /** It is above in its own chain: they wait for each other. */
  | "Circular"
  /** It is explained in another place of the answer. */
  | "Repeated";

export interface Cause {
  readonly key: ResourceKey;
  readonly kind: string;
  readonly message: string;
  readonly details: readonly string[];
}

export interface Bounds {
  readonly depth: number;
  /** Blockers shown of one resource. */
  readonly breadth: number;
  /** Others looked at for one resource. */
  readonly suspects: number;
  /** Resources looked at in all. */
  readonly looks: number;
  /** Resources in the answer. */
  readonly resources: number;
  readonly causes: number;
}

export const defaultBounds: Bounds = {
  depth: 16,
  breadth: 20,
  suspects: 100,
  looks: 1_000,
  resources: 200,
  causes: 10,
};

/** Undefined when there is no such resource, or it may not be read. */
export async function explain(
  observer: Observer,
  key: ResourceKey,
  nowMs: number,
  bounds: Bounds = defaultBounds,
): Promise<Explanation | undefined> {
  const walk = new Walk(observer, nowMs, bounds);
  const root = await walk.from(key);
  if (root === undefined) return undefined;
  const { kind, state, message, isBehind = false } = root;
  const isReady = state === "Ready";
  // Who asks about a deletion asks why it is still there.
  const isPlain = isReady || state === "Deleting";
  const verdict = isPlain ? "" : isBehind ? "not up to date yet: " : "not ready: ";
  const summary = `${kind}/${key.name} is ${verdict}${message}`;
  return { isReady, summary, resource: root, causes: causesOf(root, bounds.causes) };
}

type MutableExplained = Explained & { blockers: Explained[]; more: number; details: string[] };

interface Place {
  readonly explained: MutableExplained;
  readonly above: Place | undefined;
  readonly resource: Resource;
  readonly suspects: readonly Suspect[];
}

class Walk {
  readonly #observer: Observer;
  readonly #nowMs: number;
  readonly #bounds: Bounds;
  readonly #seen = new Map<string, Seen>();
  readonly #placed = new Set<string>();
  #shown = 0;

  constructor(observer: Observer, nowMs: number, bounds: Bounds) {
    this.#observer = observer;
    this.#nowMs = nowMs;
    this.#bounds = bounds;
  }

  async from(key: ResourceKey): Promise<Explained | undefined> {
    await this.#look([key]);
    const seen = this.#seen.get(keyText(key));
    if (seen?.kind !== "found") return undefined;
    const root = this.#place(seen.subject, undefined, undefined);
    let level: readonly Place[] = [root];
    for (let depth = 1; depth < this.#bounds.depth && level.length > 0; depth += 1) {
      level = await this.#descend(level);
    }
    for (const { explained, suspects } of level) explained.more += suspects.length;
    return root.explained;
  }

  async #descend(level: readonly Place[]): Promise<readonly Place[]> {
    const most = this.#bounds.suspects;
    await this.#look(
      level.flatMap(({ suspects }) => suspects.slice(0, most).map(({ key }) => key)),
    );
    const next: Place[] = [];
    for (const place of level) {
      place.explained.more += Math.max(0, place.suspects.length - most);
      for (const suspect of distinct(place.suspects.slice(0, most))) {
        const below = this.#attach(place, suspect);
        if (below !== undefined) next.push(below);
      }
      tellWaitIsOver(place);
    }
    return next;
  }

  /** The place below, when there is one to go on from. */
  #attach(above: Place, suspect: Suspect): Place | undefined {
    const { explained } = above;
    const text = keyText(suspect.key);
    const seen = this.#seen.get(text);
    if (seen === undefined) {
      explained.more += 1;
      return undefined;
    }
    if (seen.kind === "hidden" && isUnnamed(suspect)) tell(explained, unseenText);
    if (suspect.relation === "LivesIn" && isInChain(above, text)) return undefined;
    if (!isBlocking(suspect, seen, above.resource, this.#diagnosisOf(seen))) return undefined;
    if (explained.blockers.length >= this.#bounds.breadth || this.#isFull()) {
      explained.more += 1;
      return undefined;
    }
    this.#shown += 1;
    if (seen.kind !== "found") {
      explained.blockers.push(this.#unseen(suspect, seen.kind));
      return undefined;
    }
    if (this.#placed.has(text)) {
      const circle = circleText(above, suspect, seen.subject);
      explained.blockers.push(this.#again(suspect, seen.subject, circle));
      return undefined;
    }
    const below = this.#place(seen.subject, above, suspect);
    explained.blockers.push(below.explained);
    return below;
  }

  #isFull(): boolean {
    return this.#shown >= this.#bounds.resources;
  }

  #place(subject: Subject, above: Place | undefined, suspect: Suspect | undefined): Place {
    const { key, resource, work, isReconciled, workers } = subject;
    this.#placed.add(keyText(key));
    const found = diagnose(subject, this.#observer, this.#nowMs);
    const { state, ready, isBehind } = found;
    const unmet = unmetBy(suspect, resource, found);
    const isFine = state === "Ready" && unmet.length > 0;
    const explained: MutableExplained = {
      ...this.#named(key),
      relation: suspect?.relation,
      state,
      ready,
      ...(isBehind === undefined ? {} : { isBehind }),
      message: isFine ? unmet.join("; ") : found.message,
      details: [...(isFine ? [] : unmet), ...found.details],
      work,
      workers: isReconciled ? workers : undefined,
      blockers: [],
      more: 0,
    };
    return { explained, above, resource, suspects: found.suspects };
  }

  #unseen({ key, relation }: Suspect, kind: "missing" | "hidden"): Explained {
    const isServed = this.#observer.named(key.kind) !== undefined;
    return {
      ...this.#named(key),
      relation,
      state: kind === "missing" ? "Missing" : "NotVisible",
      ready: kind === "missing" ? "False" : "Unknown",
      message: kind === "missing" ? missingText(key, isServed) : hiddenText(relation),
      ...leaf,
    };
  }

  #again({ key, relation }: Suspect, subject: Subject, circle: string | undefined): Explained {
    const { state, ready } = diagnose(subject, this.#observer, this.#nowMs);
    return {
      ...this.#named(key),
      relation,
      state: circle === undefined ? "Repeated" : "Circular",
      ready,
      message: circle ?? `explained above or below (${state})`,
      ...leaf,
    };
  }

  #diagnosisOf(seen: Seen): Diagnosis | undefined {
    return seen.kind === "found" ? diagnose(seen.subject, this.#observer, this.#nowMs) : undefined;
  }

  #named(key: ResourceKey): Pick<Explained, "key" | "apiVersion" | "kind"> {
    const named = this.#observer.named(key.kind);
    return { key, apiVersion: named?.apiVersion, kind: named?.kind ?? key.kind };
  }

  async #look(keys: readonly ResourceKey[]): Promise<void> {
    const unknown = new Map(keys.map((key) => [keyText(key), key]));
    for (const text of unknown.keys()) if (this.#seen.has(text)) unknown.delete(text);
    const allowed = [...unknown.values()].slice(0, this.#bounds.looks - this.#seen.size);
    if (allowed.length === 0) return;
    const found = await this.#observer.look(allowed);
    for (const [index, key] of allowed.entries()) {
      this.#seen.set(keyText(key), found[index] ?? { kind: "missing" });
    }
  }
}

const leaf = { details: [], work: undefined, workers: undefined, blockers: [], more: 0 } as const;

/** A resource that is suspected twice is named once, by the first reason. */
function distinct(suspects: readonly Suspect[]): readonly Suspect[] {
  const byKey = new Map<string, Suspect>();
  for (const suspect of suspects) {
    const text = keyText(suspect.key);
    if (!byKey.has(text)) byKey.set(text, suspect);
  }
  return [...byKey.values()];
}

const unseenText = "some resources that it owns are not visible to you";

function tell({ details }: MutableExplained, text: string): void {
  if (!details.includes(text)) details.push(text);
}

/** What it waited for may have come meanwhile; it then has yet to look again. */
function tellWaitIsOver({ explained, suspects }: Place): void {
  const waits = suspects.some(({ relation }) => relation === "WaitsFor");
  const isHeld = explained.blockers.some(({ relation }) => relation === "WaitsFor");
  // That it is there was never the question.
  const isUnfit = suspects.some(({ isThere = false }) => isThere);
  if (!waits || isHeld || isUnfit || explained.more > 0) return;
  tell(explained, "the resources that it waited for exist now; it is checked again soon");
}

function isInChain(place: Place, text: string): boolean {
  for (let at: Place | undefined = place; at !== undefined; at = at.above) {
    if (keyText(at.explained.key) === text) return true;
  }
  return false;
}

/** A circle of resources each of which cannot go on before the next; owning alone holds nobody. */
function circleText(place: Place, suspect: Suspect, subject: Subject): string | undefined {
  const text = keyText(subject.key);
  let relation: Relation | undefined = suspect.relation;
  let below = subject.resource;
  let isOfOwners = true;
  for (let at: Place | undefined = place; at !== undefined; at = at.above) {
    if (relation !== "WaitsFor" && relation !== "Outlives") return undefined;
    isOfOwners &&= relation === "Outlives" && isWaitingOwner(at.resource, below);
    if (keyText(at.explained.key) === text) {
      return isOfOwners
        ? "owner cycle: garbage collection resolves it"
        : "dependency cycle: break it by hand";
    }
    ({ relation } = at.explained);
    below = at.resource;
  }
  return undefined;
}

/** These are a cause themselves, whatever else they wait for. */
const troubled: ReadonlySet<Explained["state"]> = new Set<State>([
  "Failing",
  "GivenUp",
  "HeldOff",
  "Paused",
  "Unattended",
]);

/** The ends of the chains, in the order in which people read them. */
function causesOf(root: Explained, most: number): readonly Cause[] {
  const causes: Cause[] = [];
  const visit = (explained: Explained): void => {
    const { key, kind, message, details, blockers, state } = explained;
    const isEnd = (blockers.length === 0 && state !== "Repeated") || troubled.has(state);
    if (isEnd && causes.length < most) causes.push({ key, kind, message, details });
    for (const blocker of blockers) visit(blocker);
  };
  if (root.state !== "Ready") visit(root);
  return causes;
}
