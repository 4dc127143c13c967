// What the next run would do about an object whose resource is being deleted.

import { textAt } from "../../../kernel/json-read.ts";
import { observeCreated, unfound } from "./created.ts";
import { hasMoved, movedMessage } from "./placing.ts";
import { underWay } from "./preview-object.ts";
import { previewOfOutcome } from "./preview-result.ts";
import type { Preview } from "./preview-result.ts";
import { observeRenamed, untilRenamed } from "./renamed.ts";
import { hidden, notSupportedMessage, placeOfRemoval, removeRequest } from "./removing.ts";
import type { Session } from "./session.ts";

export async function previewRemoval(session: Session): Promise<Preview> {
  const { operation } = session.book.pages;
  if (operation !== undefined) return underWay(textAt(operation, "since"));
  const place = await placeOfRemoval(session);
  switch (place.kind) {
    case "ends":
      return previewOfOutcome(place.outcome);
    case "nothing":
      return { action: "nothing", message: "being deleted; the object was never created" };
    case "left":
      return { action: "nothing", message: `being deleted; ${place.message}` };
    case "at": {
      const looked = await observeRenamed(session, place.path);
      if (looked.kind === "ends") return previewOfOutcome(looked.outcome);
      const observed = await observeCreated(session, looked.observed);
      const uncertain = untilRenamed(session);
      if (uncertain !== undefined) return previewOfOutcome(uncertain);
      if (observed.kind === "present") return deletion(session, observed);
      if (observed.isUnconfirmed === true) return deletion(session, hidden);
      if (hasMoved(session)) return { action: "refuse", message: movedMessage(session) };
      const late = unfound(session, observed.why);
      if (late !== undefined) return previewOfOutcome(late);
      return {
        action: "nothing",
        message: `being deleted; the object no longer exists: ${observed.why}`,
      };
    }
    default:
      return place satisfies never;
  }
}

function deletion(session: Session, present: Parameters<typeof removeRequest>[1]): Preview {
  const request = removeRequest(session, present);
  if (request === undefined) return { action: "refuse", message: notSupportedMessage };
  const { method, path } = request;
  return { action: "delete", message: "the resource is being deleted", request: { method, path } };
}
