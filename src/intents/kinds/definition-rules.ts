// The rules of definitions themselves. Their status is made in the same write, so that a new kind
// can be used as soon as its definition is accepted.

import { withoutKey } from "../../kernel/without-key.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { KindRules } from "../builtin/rules.ts";
import { isHeavySchema } from "../../kernel/schema/schema-size.ts";
import type { LiveView } from "../live-view.ts";
import {
  definitionErrors,
  definitionStatusErrors,
  definitionUpdateErrors,
} from "./definition-check.ts";
import { defaultDefinition } from "./definition-defaults.ts";
import { cleanupFinalizer, markedForDeletion } from "./definition-deletion.ts";
import { definitionsKind } from "./definition-kinds.ts";
import { specOf } from "./definition-parts.ts";
import { definitionStatus } from "./definition-status.ts";

export interface DefinitionRulesInput {
  readonly live: () => LiveView;
  readonly clock: Clock;
}

export function definitionRules({ live, clock }: DefinitionRulesInput): KindRules {
  const withStatus = (definition: Resource): Resource => {
    const others = [...live().all(definitionsKind)]
      .map(({ resource }) => resource)
      .filter(({ metadata }) => metadata.name !== definition.metadata.name);
    return {
      ...definition,
      status: definitionStatus(definition, { others, nowMs: clock.nowMs() }),
    };
  };
  return {
    keepsStatusOnCreate: true,
    needsRevision: false,
    defaulting: (definition) => defaultDefinition(definition),
    prepareForCreate: (definition) => withStatus(withoutKey(definition, "status")),
    prepareForUpdate: (definition, old, subresource) => {
      if (subresource === "status") return withStatus(definition);
      return withStatus({
        ...definition,
        ...(old.status === undefined ? {} : { status: old.status }),
      });
    },
    // Asked again, nothing is left to do.
    prepareForDelete: (definition) =>
      (definition.metadata.finalizers ?? []).includes(cleanupFinalizer)
        ? definition
        : markedForDeletion(definition, clock.nowMs()),
    ...definitionChecks,
  };
}

/** The part that a thread can do. */
export const definitionChecks: KindRules = {
  isHeavy: (definition) => isHeavySchema(specOf(definition)),
  validateCreate: (definition) => definitionErrors(definition),
  validateUpdate: (definition, old, subresource) =>
    subresource === "status"
      ? definitionStatusErrors(definition)
      : definitionUpdateErrors(definition, old),
};
