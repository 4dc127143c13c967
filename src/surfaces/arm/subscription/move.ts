// moveResources: resources of a group get ids in another group of the subscription, with all that
// is inside of them. They stay what they are in the store, so that nothing that was made for them
// is made again; what changes is the path that they hold and the envelope. All of it is one commit:
// either each resource of a request has moved, with all inside of it, or none has; see
// moving-mark.ts for what is created inside at the same moment.

import { updateTogether } from "../../../intents/write/update.ts";
import type { UpdateInput } from "../../../intents/write/update.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Write } from "../../../store/port.ts";
import { groupDigest } from "../../../modules/resource-provider/arm-names.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { readObject } from "../protocol/arm-body.ts";
import { annotationsWith } from "../resource/creation.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import { groupLabel } from "../../../modules/resource-provider/face.ts";
import type { ArmEnvelope } from "../../../modules/resource-provider/face.ts";
import { storedAt, uniquePlace } from "../resource/located.ts";
import { checkMove, readMove } from "./move-check.ts";
import type { MayMove, MovePath, Moving, WantedMove } from "./move-check.ts";
import { isMarked, markWrite, unmarked } from "../resource/moving-mark.ts";
import { requestDigest } from "../operation/replay.ts";
import { isLostRace } from "../resource/lost-race.ts";
import { envelopeFor, resourceOf } from "../resource/resource-view.ts";
import { systemDataOf } from "../request/system-data.ts";

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
      if (!path.isValidation && (await isDone(surface, wanted, digest))) return { status: 200 };
      const moving = await checkMove(surface, wanted, mayMove);
      if (path.isValidation) return { status: 204 };
      if (moving.length > limits.maxGroupWrites) throw tooMany(moving.length);
      const open = moving.filter(({ old, hasInside }) => hasInside && !isMarked(old));
      if (open.length === 0) {
        await moveAll(surface, { request, moving, digest });
        return { status: 200 };
      }
      if (attempt >= limits.maxPatchAttempts) throw isBusy(open);
      await markAll(surface, open);
    } catch (error) {
      if (!isLostRace(error) || attempt >= limits.maxPatchAttempts) throw error;
    }
  }
}

/** What has changed meanwhile stays as it is: it is looked at again in any case. */
async function markAll(surface: ArmSurface, open: readonly Moving[]): Promise<void> {
  const writes: Write[] = [];
  for (const { record } of open) writes.push(...(await markWrite(surface, record, true)));
  for (const answer of await surface.intents.store.commit(writes)) {
    const isChanged = answer.kind === "refused" && changedCodes.has(answer.error.code);
    if (answer.kind === "refused" && !isChanged) throw answer.error;
  }
}

const changedCodes = new Set<string>(["resource.conflict", "resource.not_found"]);

function isBusy(open: readonly Moving[]): Error {
  const { id } = open[0]?.envelope ?? { id: "" };
  const message = `Too many resources are being created in '${id}'. Try again later.`;
  return armRefusal(409, { code: "AnotherOperationInProgress", message, target: "resources" });
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
  const inputs = moving.map(({ served, old, envelope, record, to }): UpdateInput => {
    const next: ArmEnvelope = {
      ...envelope,
      ...envelopeFor(to),
      // To get another id is to be created anew for those who keep account of it.
      systemData: systemDataOf(request, undefined, nowMs),
      ...(digest === undefined ? {} : { moved: digest }),
    };
    const labels = { ...old.metadata.labels, [groupLabel]: groupDigest(to.group ?? "") };
    const annotations = annotationsWith(unmarked(old.metadata.annotations ?? {}), next, request);
    const wanted = { ...old, metadata: { ...old.metadata, labels, annotations } };
    const { namespace, name } = record.key;
    return {
      caller: request.caller,
      target: { served, version: served.storage, namespace, name, subresource: "" },
      options: {
        isDryRun: false,
        fieldManager: "arm",
        ownsNoNotes: true,
        fieldValidation: "Ignore",
        names: [uniquePlace(served.id, to)],
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
    `With their nested resources these are ${count} resources: ` +
    `a request can move at most ${most}.`;
  return armRefusal(400, { code: "InvalidRequestContent", message, target: "resources" });
}
