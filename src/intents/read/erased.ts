// Earlier states after an erasure (store/erasure.ts). Where only values are missing that the kind
// never shows, the state can still be shown as before. A Secret shows its values, so its earlier
// states cannot.

import type { SetpointError } from "../../kernel/errors.ts";
import type { ServedKind } from "../kinds/served-kind.ts";

interface State {
  readonly unopened?: SetpointError;
}

export function isErased({ unopened }: State): boolean {
  return unopened?.code === "secret.erased";
}

/** Whether something of the state is missing that its readers have seen. */
export function lacksShownValues({ storedKind }: ServedKind, state: State): boolean {
  if (!isErased(state)) return false;
  if (state.unopened?.details["isDocument"] === true) return true;
  return storedKind.fieldRules.some(({ rule }) => rule === "sealed");
}

/** The state as it can be shown: without the note that hidden values were erased. */
export function shownState<T extends State>(served: ServedKind, state: T): T {
  if (!isErased(state) || lacksShownValues(served, state)) return state;
  return { ...state, unopened: undefined };
}
