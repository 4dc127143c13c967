// Creates a deleted instance again from its record, with its id, name and spec. The record is
// deleted in the same commit. The data of the data plane is not restored.

import type { Caller, Intents, Written } from "../../../intents/request.ts";
import { systemOptions } from "../../../intents/bootstrap.ts";
import { createResource } from "../../../intents/write/create.ts";
import { systemCause } from "../../../kernel/cause.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import type { Delete } from "../../../store/port.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import { instanceKindId } from "../offerings/offering-index.ts";
import { deletedInstanceKey } from "./deleted-instance.ts";

export interface RestoreInput {
  /** Of the server itself, with the administrator as its actor. */
  readonly caller: Caller;
  readonly offering: Offering;
  readonly namespace: string;
  readonly id: string;
}

/**
 * Throws fleet.not_found without a record, for example after the retention, and
 * fleet.restore_conflict when another instance has the name.
 */
export async function restoreInstance(intents: Intents, input: RestoreInput): Promise<Written> {
  const { caller, offering, namespace, id } = input;
  const key = deletedInstanceKey(namespace, id);
  const record = await intents.store.get(key);
  const spec = record && objectAt(decodeDocument(record.body, record.revision), "spec");
  if (record === undefined || spec === undefined || textAt(spec, "deletedAt") === "") {
    throw new SetpointError("fleet.not_found", `there is no deleted instance with the id ${id}`);
  }
  const served = intents.kinds.byId(instanceKindId(offering));
  if (served === undefined) throw new Error("the kind of an Offering is served");
  const name = textAt(spec, "name");
  const { group, kind } = offering.instances;
  const body = {
    apiVersion: `${group}/v1`,
    kind,
    metadata: { namespace, name },
    spec: { ...restoredSpec(objectAt(spec, "instance")), ...usedBefore(spec) },
  };
  const forget = (cause: Delete["cause"]): Delete => ({
    kind: "delete",
    key,
    when: { kind: "revision", revision: record.revision, uid: record.uid },
    cause,
  });
  try {
    return await createResource(intents, {
      caller,
      target: { served, version: served.storage, namespace, name: "", subresource: "" },
      body,
      options: { ...systemOptions, also: () => [forget(systemCause)] },
      decodeProblems: [],
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
    const message = `the name ${name} belongs to another instance`;
    throw new SetpointError("fleet.restore_conflict", message, { cause: error });
  }
}

/** Usage reports still need the time before the deletion, whose record is deleted. */
function usedBefore(record: JsonObject): JsonObject {
  const [from, to] = [textAt(record, "readyAt"), textAt(record, "endedAt")];
  if (from === "" || to === "") return {};
  const earlier = objectsAt(record, "instance", "earlierUse");
  return { earlierUse: [...earlier, { from, to }].slice(-fleetLimits.maxEarlierUse) };
}

/** An expiry and a suspension of before would end the restored instance at once. */
function restoredSpec(spec: JsonObject): JsonObject {
  return ["expiresAt", "expiryReason", "suspension"].reduce(
    (rest, field) => withoutKey(rest, field),
    spec,
  );
}
