// "Who is this?" and "who am I?": TokenReview and SelfSubjectReview. A token that is no good is an
// answer and not an error: the status says why.

import type { Clock } from "../../kernel/clock.ts";
import { timeText } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { Authentication } from "./authentication.ts";
import type { UserInfo } from "./user.ts";

const apiVersion = "authentication.k8s.io/v1";

export async function reviewToken(
  review: JsonObject,
  authentication: Authentication,
  apiAudiences: readonly string[],
): Promise<JsonObject> {
  const spec = objectAt(review, "spec");
  const token = textAt(spec, "token");
  if (token === "") {
    const message = "token is required for TokenReview in authentication";
    throw new SetpointError("request.invalid", message);
  }
  const named = textsAt(spec, "audiences");
  const audiences = named.length === 0 ? apiAudiences : named;
  const outcome = await authentication.authenticateToken(token, audiences);
  const status =
    outcome.kind === "unknown"
      ? { user: {}, error: outcome.error }
      : { authenticated: true, user: printedUser(outcome.user), audiences: outcome.audiences };
  const metadata = objectAt(review, "metadata");
  return { kind: "TokenReview", apiVersion, metadata, spec, status };
}

export function reviewSelf(user: UserInfo, clock: Clock): JsonObject {
  return {
    kind: "SelfSubjectReview",
    apiVersion,
    metadata: { creationTimestamp: timeText(clock.nowMs()) },
    status: { userInfo: printedUser(user) },
  };
}

/** Empty parts are left out. */
function printedUser({ name, uid = "", groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
