// Calls `begin` for each Offering whose instance kind is served in this process, and the function
// that it returned when the kind is removed. Each process that works on instances follows the same
// live view, so all of them begin with a new Offering.

import { definitionsKind } from "../../../intents/kinds/definition-kinds.ts";
import type { KindRegistry } from "../../../intents/kinds/registry.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { instanceKindId } from "./offering-index.ts";
import type { OfferingIndex } from "./offering-index.ts";

export interface FollowInstanceKindsInput {
  readonly live: Pick<LiveView, "follow">;
  readonly kinds: Pick<KindRegistry, "byId">;
  readonly offerings: OfferingIndex;
  /** `kind` is the id of the instance kind. */
  readonly begin: (offering: string, kind: string) => () => void;
}

export function followInstanceKinds(input: FollowInstanceKindsInput): Disposable {
  const { live, kinds, offerings, begin } = input;
  const running = new Map<string, { readonly offering: string; readonly end: () => void }>();
  const look = (kind: string): void => {
    const offering = offerings.byKind(kind)?.name;
    const before = running.get(kind);
    const isServed = kinds.byId(kind) !== undefined;
    if (before !== undefined && before.offering === offering && isServed) return;
    // An Offering waits for the removal of its kind, which needs the reconciler until the end.
    if (before !== undefined && offering === undefined && isServed) return;
    before?.end();
    running.delete(kind);
    if (offering !== undefined && isServed) {
      running.set(kind, { offering, end: begin(offering, kind) });
    }
  };
  const stops = [
    offerings.follow((_name, offering) => {
      if (offering !== undefined) look(instanceKindId(offering));
    }),
    live.follow(definitionsKind, (after, before) => look((after ?? before)?.key.name ?? "")),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const stop of stops) stop();
      for (const { end } of running.values()) end();
      running.clear();
    },
  };
}
