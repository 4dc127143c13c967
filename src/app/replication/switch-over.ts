/**
 * A planned switch: the primary steps down, what it committed last is shipped, and the secondary is
 * promoted. Each step can be repeated, so a switch that was interrupted is simply run again.
 */
import { SetpointError } from "../../kernel/errors.ts";
import type { Promotion, ReplicatedStore, Standing } from "../../store/replication.ts";
import type { PrimaryStore } from "./http-primary.ts";

export interface SwitchInput {
  readonly former: Pick<PrimaryStore, "replication">;
  readonly next: Pick<ReplicatedStore, "replication">;
  /** The address of the next primary that clients of the former one receive. */
  readonly nextName: string;
  readonly wakes: Pick<Promotion, "kinds" | "perSecond">;
}

export async function switchOver(input: SwitchInput): Promise<Standing> {
  const { former, next, nextName, wakes } = input;
  const before = await former.replication.standing();
  const own = await next.replication.standing();
  if (own.role === "primary") {
    if (own.epoch > before.epoch) return own;
    const message = "this store is a primary already, and of no later epoch than the other one";
    throw new SetpointError("store.not_secondary", message, {
      details: { epoch: own.epoch, other: before.epoch },
      suggestion: "name the secondary with --data or --store, and its primary with --from",
    });
  }
  // Before anything is stopped: what cannot be followed would only fail later.
  await shipAll(input);
  const from = await former.replication.demote(nextName);
  await shipAll(input);
  return await next.replication.promote({ ...wakes, from });
}

async function shipAll({ former, next }: SwitchInput): Promise<void> {
  for (;;) {
    const { at } = await next.replication.standing();
    const shipment = await former.replication.ship(at);
    if (shipment.rows.length === 0) return;
    await next.replication.follow(shipment);
  }
}
