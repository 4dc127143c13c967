// `setpoint gitops definitions`: the CustomResourceDefinitions, for other servers and for reviews.

import type { RunCommand } from "../../../contract/command.ts";
import { definitionOfForm, definitionOfKind } from "../../../intents/kinds/kind-definition.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { formatYaml } from "../../../kernel/yaml.ts";
import { gitopsKinds } from "../kinds/declared-kinds.ts";
import { seedForms } from "../kinds/seed-forms.ts";

export const runDefinitions: RunCommand = async (call) => {
  const definitions = call.options["seedGroup"] === true ? seedDefinitions() : ownDefinitions();
  call.printText(definitions.map((each) => `---\n${formatYaml(each)}`).join(""));
};

export function ownDefinitions(): readonly JsonObject[] {
  return gitopsKinds.map(({ kind }) => definitionOfKind(kind, false));
}

export function seedDefinitions(): readonly JsonObject[] {
  return seedForms.map(({ kind }) => definitionOfForm(kind));
}
