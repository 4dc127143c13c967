/** A server writes when it starts and while it runs, so it does not serve a secondary. */
import { SetpointError } from "../../kernel/errors.ts";
import type { ReplicatedStore } from "../../store/replication.ts";
import { notPrimary } from "../../store/shipment.ts";

export async function refuseSecondary(store: ReplicatedStore): Promise<void> {
  const { role, primary } = await store.replication.standing();
  if (role === "primary") return;
  const { code, message, details } = notPrimary(primary);
  throw new SetpointError(code, message, {
    details,
    suggestion:
      "keep it up to date with `setpoint replication follow`, or make it the primary with " +
      "`setpoint replication promote`",
  });
}
