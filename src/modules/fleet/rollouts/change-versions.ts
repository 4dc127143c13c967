// The writes of a Rollout: versions of instances, through the write path and under its claim. Each
// is decided again for the newest document, so that it happens once, whatever happened since.

import type { Context } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import type { Intents, Target } from "../../../intents/request.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { timeText } from "../../../kernel/clock.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { memberTest, readMember } from "./member.ts";
import type { Member } from "./member.ts";
import type { Rollout } from "./rollout.ts";
import { rollbackStanding, standingOf } from "./standing.ts";
import type { StandingInput } from "./standing.ts";

export interface ChangeInput extends StandingInput {
  readonly rollout: Rollout;
  readonly isRollback: boolean;
}

/** The document with the change, or the same document when there is nothing to change any more. */
export function changedInstance(kind: string, old: Resource, input: ChangeInput): Resource {
  const { rollout, isRollback } = input;
  const member = readMember(kind, old);
  if (!memberTest(rollout)(member)) return old;
  const standing = isRollback ? rollbackStanding(member, input) : standingOf(member, input);
  if (standing.kind !== "pending") return old;
  return isRollback ? reverted(old, member, input) : updated(old, member, input);
}

function updated(old: Resource, member: Member, { rollout, nowMs }: ChangeInput): Resource {
  const spec = objectAt(old, "spec");
  const change: JsonObject = {
    name: rollout.name,
    uid: rollout.uid,
    from: member.desired,
    at: timeText(nowMs),
    wasReady: member.phase === "ready",
  };
  const versions = { ...objectAt(spec, "versions"), ...rollout.versions };
  return { ...old, spec: { ...spec, versions, rollout: change } };
}

function reverted(old: Resource, member: Member, { rollout, nowMs }: ChangeInput): Resource {
  const spec = objectAt(old, "spec");
  const from = member.change?.from ?? {};
  const others = Object.entries(objectAt(spec, "versions")).filter(
    ([component]) => !Object.hasOwn(rollout.versions, component),
  );
  const versions = { ...Object.fromEntries(others), ...from };
  const change = { ...objectAt(spec, "rollout"), at: timeText(nowMs), isRolledBack: true };
  return { ...old, spec: { ...spec, versions, rollout: change } };
}

/** Resolves with the reason when the write was refused. An instance may be removed meanwhile. */
export async function changeInstance(
  intents: Intents,
  context: Context,
  key: ResourceKey,
  input: ChangeInput,
): Promise<string | undefined> {
  const target = instanceTarget(intents, key);
  if (target === undefined) return undefined;
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      await updateResource(intents, {
        caller: systemCallerFor(cause),
        target,
        options: { ...systemOptions, claim },
        optionsKind: "PatchOptions",
        change: (old) => ({ wanted: changedInstance(key.kind, old, input) }),
        allowsBlind: true,
      });
    });
    return undefined;
  } catch (error) {
    if (isSetpointError(error, "resource.not_found")) return undefined;
    if (isRefusal(error)) return error.message;
    throw error;
  }
}

/** A policy or a rule of the kind is against it: later attempts may succeed. */
function isRefusal(error: unknown): error is Error {
  return isSetpointError(error, "resource.invalid") || isSetpointError(error, "request.forbidden");
}

function instanceTarget({ kinds }: Intents, key: ResourceKey): Target | undefined {
  const served = kinds.byId(key.kind);
  if (served === undefined) return undefined;
  const { namespace, name } = key;
  return { served, version: served.storage, namespace, name, subresource: "" };
}
