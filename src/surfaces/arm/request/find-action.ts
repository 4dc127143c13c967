// The action of a face that a request names.

import { isSameText } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmAction, ArmFace } from "../../../modules/resource-provider/face.ts";
import { armRefusal } from "../protocol/arm-error.ts";

/** Undefined for an action that the face does not have. */
export function findAction(face: ArmFace, name: string): ArmAction | undefined {
  return face.actions?.find((each) => isSameText(each.name, name));
}

/** Throws 404 for an action that the face does not have. */
export function actionOf(face: ArmFace, name: string): ArmAction {
  const action = findAction(face, name);
  if (action !== undefined) return action;
  const type = `${face.provider}/${face.type}`;
  const message = `The resource type '${type}' has no action '${name}'.`;
  throw armRefusal(404, { code: "InvalidResourceType", message });
}
