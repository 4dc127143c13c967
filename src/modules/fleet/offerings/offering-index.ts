// The Offerings of the live view, read once for each change. Every process has one.

import type { LiveView } from "../../../intents/live-view.ts";
import { offeringKey, offeringsKind } from "../names.ts";
import type { Offering } from "../offering.ts";
import { readOffering } from "../offering.ts";

export interface OfferingIndex {
  byName(name: string): Offering | undefined;
  /** By the word in the URL of its APIs. */
  byPlural(plural: string): Offering | undefined;
  /** By the id of the kind of its instances, such as "dinosaurs.example.dev". */
  byKind(kind: string): Offering | undefined;
  all(): readonly Offering[];
  /**
   * Calls the listener for every Offering that exists and after each change of a spec, until the
   * returned function is called. `offering` is undefined after a deletion.
   */
  follow(listener: OfferingListener): () => void;
}

export type OfferingListener = (name: string, offering: Offering | undefined) => void;

/** Disposing of it stops following the live view. */
export interface FollowedOfferings extends OfferingIndex, Disposable {}

export function instanceKindId({ instances }: Pick<Offering, "instances">): string {
  return `${instances.plural}.${instances.group}`;
}

export function followOfferings(live: Pick<LiveView, "follow">): FollowedOfferings {
  const byName = new Map<string, Offering>();
  const byPlural = new Map<string, Offering>();
  const byKind = new Map<string, Offering>();
  const listeners = new Set<OfferingListener>();
  const drop = (name: string): void => {
    const old = byName.get(name);
    if (old === undefined) return;
    byName.delete(name);
    if (byPlural.get(old.instances.plural) === old) byPlural.delete(old.instances.plural);
    if (byKind.get(instanceKindId(old)) === old) byKind.delete(instanceKindId(old));
  };
  const put = (offering: Offering): void => {
    byName.set(offering.name, offering);
    byPlural.set(offering.instances.plural, offering);
    byKind.set(instanceKindId(offering), offering);
  };
  const stop = live.follow(offeringsKind, (after, before) => {
    const name = (after ?? before)?.key.name ?? "";
    const known = byName.get(name);
    const { uid, generation } = after?.resource.metadata ?? {};
    if (known !== undefined && known.uid === uid && known.generation === generation) return;
    drop(name);
    const offering = after && readOffering(after.resource);
    if (offering !== undefined) put(offering);
    for (const listener of listeners) listener(name, offering);
  });
  return {
    byName: (name) => byName.get(name),
    byPlural: (plural) => byPlural.get(plural),
    byKind: (kind) => byKind.get(kind),
    all: () => [...byName.values()],
    follow: (listener) => {
      listeners.add(listener);
      for (const offering of byName.values()) listener(offering.name, offering);
      return () => listeners.delete(listener);
    },
    [Symbol.dispose]: stop,
  };
}

/** Whether the Offering is being deleted. */
export function isEndingOffering(live: Pick<LiveView, "get">, name: string): boolean {
  return live.get(offeringKey(name))?.resource.metadata.deletionTimestamp !== undefined;
}
