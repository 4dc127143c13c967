// Definitions that are written in one moment do not see each other, so each could get the same
// names. Therefore a definition holds its accepted names in the store, which gives a name to one
// resource only; the other write is refused, waits until it sees the winner, and is decided again.

import { isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import type { UniqueName } from "../../store/port.ts";
import { definitionsKind } from "../kinds/definition-kinds.ts";
import { acceptedNamesOf } from "../kinds/definition-names.ts";
import { specOf } from "../kinds/definition-parts.ts";
import type { LiveView } from "../live-view.ts";
import type { Intents, Target } from "../request.ts";
import type { AdmissionPlugin } from "./admission.ts";

export function definitionNameHolders(live: LiveView): AdmissionPlugin {
  return {
    name: "DefinitionNames",
    names: ({ target, object }) => {
      if (target.served.id !== definitionsKind || object === undefined) return undefined;
      // Definitions of earlier releases may share a name: neither of them can hold it.
      const others = [...live.all(definitionsKind)]
        .filter(({ key }) => key.name !== target.name)
        .flatMap(({ resource }) => heldNames(resource).map(textOf));
      const shared = new Set(others);
      return heldNames(object).filter((name) => !shared.has(textOf(name)));
    },
  };
}

/** True when another definition took a name first and this process knows it by now. */
export async function sawNameHolder(
  { store, live }: Pick<Intents, "store" | "live">,
  { served }: Target,
  error: unknown,
): Promise<boolean> {
  if (served.id !== definitionsKind || !isSetpointError(error, "name.taken")) return false;
  const { revision } = await store.head();
  await live.reached(revision);
  return true;
}

function heldNames(definition: JsonObject): readonly UniqueName[] {
  const { plural, singular, shortNames, kind, listKind } = acceptedNamesOf(definition);
  const group = textAt(specOf(definition), "group");
  const resources = [plural, singular, ...shortNames].map((name) => `resource ${name}`);
  const kinds = [kind, listKind].map((name) => `kind ${name}`);
  const names = [...new Set([...resources, ...kinds])].filter((name) => !name.endsWith(" "));
  return names.map((name) => ({ scope: `definition names of ${group}`, name }));
}

function textOf({ scope, name }: UniqueName): string {
  return `${scope} ${name}`;
}
