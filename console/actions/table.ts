// All actions. A module adds its own in a file beside this one and a line here.

import { may, mayOn } from "../api/rights.ts";
import type { Action, Subject } from "./action.ts";
import { clusterActions } from "./cluster-actions.ts";
import { environmentActions } from "./environment-actions.ts";
import { gitopsActions } from "./gitops-actions.ts";
import { instanceActions } from "./instance-actions.ts";
import { resourceActions } from "./resource-actions.ts";
import { rolloutActions } from "./rollout-actions.ts";

export const actions: readonly Action[] = [
  ...resourceActions,
  ...environmentActions,
  ...gitopsActions,
  ...clusterActions,
  ...instanceActions,
  ...rolloutActions,
];

/** What fits a resource, in the order of the table. */
export function actionsFor(subject: Subject): readonly Action[] {
  return actions.filter(({ kinds, fits }) => {
    if (kinds !== undefined && !kinds.includes(subject.kind.id)) return false;
    return fits === undefined || fits(subject);
  });
}

export function actionNamed(id: string): Action | undefined {
  return actions.find((action) => action.id === id);
}

/** Why an action cannot be used: the state of the resource, or the rights of the user. */
export function whyOff(action: Action, subject: Subject): string | undefined {
  const { kind, namespace, name } = subject;
  const { verb, subresource } = action.needs;
  if (!kind.verbs.has(verb) && subresource === undefined) {
    return `${kind.kind} does not support ${verb}.`;
  }
  const isAllowed =
    subresource === undefined
      ? mayOn(kind, { namespace, name, verb })
      : may(namespace, {
          verb,
          group: kind.group,
          resource: `${kind.plural}/${subresource}`,
          name,
        });
  if (isAllowed === false) return `You may not ${verb} ${kind.plural}${placeOf(subject)}.`;
  return action.off?.(subject);
}

function placeOf({ namespace }: Subject): string {
  return namespace === "" ? "" : ` in ${namespace}`;
}
