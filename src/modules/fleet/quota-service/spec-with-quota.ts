// The spec of a new instance where a quota service decides about its type. The service is asked
// after the checks that refuse the request anyway, so that only members cause calls to it.

import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { accountOf, checkedOwner, completedSpec } from "../admission/new-instance.ts";
import type { NewInstance } from "../admission/new-instance.ts";
import { chooseType } from "./choose-type.ts";
import type { CheckQuota } from "./quota-check.ts";
import { quotaServiceOf } from "./settings.ts";

/** A type that an administrator names is not asked for. */
export function specWithQuota(
  checkQuota: CheckQuota,
  given: NewInstance,
): JsonObject | Promise<JsonObject> {
  const { offering, spec } = given;
  const isAsked = offering.quota.backend === "http" && textAt(spec, "type") === "";
  return isAsked ? askedSpec(checkQuota, given) : completedSpec(given);
}

async function askedSpec(checkQuota: CheckQuota, given: NewInstance): Promise<JsonObject> {
  const { offering, organisation, spec } = given;
  const user = checkedOwner(given);
  const account = textAt(spec, "account") || accountOf(given, user);
  const checked = await checkQuota(offering, { organisation: organisation.id, user, account });
  const onOutage = quotaServiceOf(offering)?.onOutage ?? "refuse";
  const chosenType = chooseType({ offering, checked, onOutage });
  if (chosenType instanceof SetpointError) throw chosenType;
  return completedSpec({ ...given, chosenType });
}
