// moveResources: ids are where resources are stored, and what stands behind them cannot be moved
// without being made anew, which nobody who moves a resource wants. So each resource that is named
// is looked for, and the move is refused as providers without it refuse it.

import { listAt, textAt } from "../../kernel/json-read.ts";
import { readObject } from "./arm-body.ts";
import { armRefusal } from "./arm-error.ts";
import { isSameText, namespaceOf, storedName } from "./arm-names.ts";
import { placeOfId } from "./arm-path.ts";
import type { ArmPath } from "./arm-path.ts";
import type { ArmAnswer, ArmRequest, ArmSurface } from "./arm-request.ts";
import { faceOf } from "./addressed.ts";

type Move = Extract<ArmPath, { readonly kind: "move" }>;

const maxResources = 800;

export async function moveResources(
  surface: ArmSurface,
  request: ArmRequest,
  { subscription, group }: Move,
): Promise<ArmAnswer> {
  const body = await readObject(request.exchange);
  const resources = listAt(body, "resources");
  if (textAt(body, "targetResourceGroup") === "") {
    throw wrong("The property targetResourceGroup is required.", "targetResourceGroup");
  }
  if (resources.length === 0 || resources.length > maxResources) {
    throw wrong(`From 1 to ${maxResources} resources can be moved at once.`, "resources");
  }
  for (const each of resources) {
    const id = typeof each === "string" ? each : JSON.stringify(each);
    const place = placeOfId(id);
    const isHere =
      place !== undefined &&
      isSameText(place.subscription, subscription) &&
      isSameText(place.group ?? "", group);
    if (!isHere) {
      throw wrong(`'${id}' is no resource of the group '${group}'.`, "resources");
    }
    const { kind } = faceOf(surface, place);
    const key = { kind, namespace: namespaceOf(subscription), name: storedName(place) };
    if ((await surface.intents.store.get(key)) !== undefined) continue;
    const message = `The Resource '${id}' was not found.`;
    throw armRefusal(404, { code: "ResourceNotFound", message });
  }
  const message = "Resources of this provider cannot be moved between resource groups.";
  throw armRefusal(409, { code: "ResourceMoveNotSupported", message });
}

function wrong(message: string, target: string): Error {
  return armRefusal(400, { code: "InvalidRequestContent", message, target });
}
