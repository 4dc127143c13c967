/**
 * A planned switch without the switch: everything that would make it fail is looked at, and nothing
 * is changed, on neither side.
 */
import type { Finding } from "../../contract/finding.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { KeyRing } from "../../store/key-ring.ts";
import type { Store } from "../../store/port.ts";
import type { ReplicatedStore, Role, Shipment, Standing } from "../../store/replication.ts";
import { checkShipment, linkOf } from "../../store/shipment.ts";
import { failure } from "../finding.ts";
import type { PrimaryStore } from "./http-primary.ts";
import { wokenKinds } from "./woken-kinds.ts";

export interface RehearsalInput {
  readonly primary: Pick<PrimaryStore, "replication">;
  readonly secondary: ReplicatedStore;
  readonly ring: KeyRing;
}

export async function rehearse(input: RehearsalInput): Promise<readonly Finding[]> {
  const { primary, secondary } = input;
  const own = await secondary.replication.standing();
  const findings = [roleOf("secondary", own)];
  try {
    findings.push(roleOf("primary", await primary.replication.standing()));
    findings.push(...(await shipping(input, own)));
  } catch (error) {
    if (!isSetpointError(error)) throw error;
    findings.push(failure("primary", error.message, error));
  }
  const [problem] = await secondary.verify({ limit: 1 });
  const sound = finding("data", "every invariant of the secondary holds");
  findings.push(problem === undefined ? sound : { ...sound, level: "bad", message: problem });
  const kinds = await wokenKinds(secondary);
  return [...findings, finding("work", `resources of ${kinds.length} kinds would become due`)];
}

function finding(subject: string, message: string): Finding {
  return { level: "ok", subject, message };
}

function roleOf(expected: Role, { role, epoch }: Standing): Finding {
  const found = finding(expected, `the store is a ${role} of epoch ${epoch}`);
  return role === expected ? found : { ...found, level: "bad" };
}

async function shipping(
  { primary, secondary, ring }: RehearsalInput,
  own: Standing,
): Promise<readonly Finding[]> {
  const shipment = await primary.replication.ship(own.at);
  checkShipment(ring, shipment);
  const keys = finding("keys", "both stores have the same keys");
  if (!(await hasSameChange(secondary, shipment))) {
    const message = `revision ${own.at.revision} of the secondary is not that of the primary`;
    const suggestion = "follow with an empty store";
    return [keys, { level: "bad", subject: "history", message, suggestion }];
  }
  const left = shipment.head - own.at.revision;
  return [keys, finding("history", `changes to ship first: ${left}`)];
}

/** Where the change is not in the history any more, following finds out. */
async function hasSameChange(
  store: Pick<Store, "changes">,
  { from: { revision }, link }: Shipment,
): Promise<boolean> {
  if (revision === 0 || link === null) return true;
  const page = await store.changes(revision - 1, 1).catch((error: unknown) => {
    if (isSetpointError(error, "history.gone")) return undefined;
    throw error;
  });
  const change = page?.changes[0];
  return change === undefined || linkOf(change) === link;
}
