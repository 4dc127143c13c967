// moveResources: resources of a group get ids in another group of the subscription, with all that
// is inside of them. They stay what they are in the store, so that nothing that was made for them
// is made again; what changes is the path that they hold and the envelope. All of it is one commit:
// either each resource of a request has moved or none has. Whoever was created inside of one at the
// same moment is brought after it.

import { updateTogether } from "../../intents/write/update.ts";
import type { UpdateInput } from "../../intents/write/update.ts";
import { limits } from "../../kernel/limits.ts";
import { groupDigest } from "./arm-names.ts";
import { armRefusal } from "./arm-error.ts";
import type { ArmAnswer, ArmRequest, ArmSurface } from "./arm-request.ts";
import { readObject } from "./arm-body.ts";
import { annotationsWith } from "./creation.ts";
import { envelopeOf } from "./envelope.ts";
import { groupLabel } from "./face.ts";
import type { ArmEnvelope } from "./face.ts";
import { storedAt, uniquePlace } from "./located.ts";
import { checkMove, leftBehind, readMove } from "./move-check.ts";
import type { MovePath, Moving, WantedMove } from "./move-check.ts";
import { requestDigest } from "./replay.ts";
import { isRace } from "./resources.ts";
import { envelopeFor, resourceOf } from "./resource-view.ts";
import { systemDataOf } from "./system-data.ts";

/** Throws when the caller may not change a stored resource. */
export type MayMove = (kind: string, name: string) => void;

export async function moveResources(
  surface: ArmSurface,
  request: ArmRequest,
  path: MovePath,
  mayMove: MayMove,
): Promise<ArmAnswer> {
  const wanted = readMove(surface, path, await readObject(request.exchange));
  const digest = requestDigest(request, `/subscriptions/${path.subscription}`, wanted.body);
  for (let attempt = 1; ; attempt++) {
    try {
      if (path.isValidation || !(await isDone(surface, wanted, digest))) {
        const moving = await checkMove(surface, wanted);
        for (const { record } of moving) mayMove(record.key.kind, record.key.name);
        if (path.isValidation) return { status: 204 };
        await moveAll(surface, { request, moving, digest });
      }
      break;
    } catch (error) {
      if (!isRace(error) || attempt >= limits.maxPatchAttempts) throw error;
    }
  }
  for (let attempt = 1; ; attempt++) {
    const moving = await leftBehind(surface, wanted);
    if (moving.length === 0) return { status: 200 };
    try {
      await moveAll(surface, { request, moving, digest });
    } catch (error) {
      if (!isRace(error) || attempt >= limits.maxPatchAttempts) throw error;
    }
  }
}

/** Whether this very request has been carried out, and came again. */
async function isDone(
  surface: ArmSurface,
  { resources }: WantedMove,
  digest: string | undefined,
): Promise<boolean> {
  if (digest === undefined) return false;
  for (const { face, to } of resources) {
    const { record } = await storedAt(surface, face.kind, to);
    const envelope = record && envelopeOf(resourceOf(record));
    if (envelope?.moved !== digest) return false;
  }
  return true;
}

interface Move {
  readonly request: ArmRequest;
  readonly moving: readonly Moving[];
  readonly digest: string | undefined;
}

async function moveAll(surface: ArmSurface, { request, moving, digest }: Move): Promise<void> {
  const nowMs = surface.intents.clock.nowMs();
  if (moving.length > limits.maxGroupWrites) throw tooMany(moving.length);
  const inputs = moving.map(({ served, old, envelope, record, to }): UpdateInput => {
    const next: ArmEnvelope = {
      ...envelope,
      ...envelopeFor(to),
      // To get another id is to be created anew for those who keep account of it.
      systemData: systemDataOf(request, undefined, nowMs),
      ...(digest === undefined ? {} : { moved: digest }),
    };
    const labels = { ...old.metadata.labels, [groupLabel]: groupDigest(to.group ?? "") };
    const annotations = annotationsWith(old.metadata.annotations ?? {}, next, request);
    const wanted = { ...old, metadata: { ...old.metadata, labels, annotations } };
    const { namespace, name } = record.key;
    return {
      caller: request.caller,
      target: { served, version: served.storage, namespace, name, subresource: "" },
      options: {
        isDryRun: false,
        fieldManager: "arm",
        fieldValidation: "Ignore",
        names: [uniquePlace(to)],
      },
      optionsKind: "UpdateOptions",
      allowsBlind: false,
      change: () => ({ wanted }),
    };
  });
  await updateTogether(surface.intents, inputs);
}

function tooMany(count: number): Error {
  const most = limits.maxGroupWrites;
  const message =
    `With all that is inside of them these are ${count} resources: ` +
    `at most ${most} can be moved at once.`;
  return armRefusal(400, { code: "InvalidRequestContent", message, target: "resources" });
}
