// What a policy or its binding is about: rules, exceptions from them, and selectors.

import type { Json } from "../../../kernel/json.ts";
import type { Found, KindRegistry } from "../../kinds/registry.ts";
import type { LiveView } from "../../live-view.ts";
import type { AdmissionRequest } from "../admission.ts";
import { nameOf } from "../attributes.ts";
import { matchRules, resourceRulesOf } from "../resource-rules.ts";
import type { ResourceRules } from "../resource-rules.ts";
import { matchesSubject, subjectSelectorsOf } from "../subject-selectors.ts";
import type { SubjectSelectors } from "../subject-selectors.ts";

export interface MatchResources {
  readonly rules: ResourceRules;
  readonly exceptions: ResourceRules;
  readonly selectors: SubjectSelectors;
}

export interface MatchWorld {
  readonly live: LiveView;
  readonly kinds: KindRegistry;
}

export function matchResourcesOf(match: Json): MatchResources {
  return {
    rules: resourceRulesOf(match, "resourceRules"),
    exceptions: resourceRulesOf(match, "excludeResourceRules"),
    selectors: subjectSelectorsOf(match),
  };
}

/** The kind and version in which the policy sees the request; undefined when it does not. */
export function matchResources(
  { rules, exceptions, selectors }: MatchResources,
  request: AdmissionRequest,
  { live, kinds }: MatchWorld,
): Found | undefined {
  const { served, version } = request.target;
  const name = nameOf(request);
  // Rules come first here, since they are the cheapest to look at; nothing depends on the order.
  const found =
    rules.rules.length === 0 ? { served, version } : matchRules(rules, request, kinds, name);
  if (found === undefined) return undefined;
  if (exceptions.rules.length > 0 && matchRules(exceptions, request, kinds, name) !== undefined) {
    return undefined;
  }
  return matchesSubject(selectors, request, live) ? found : undefined;
}
